import { setTimeout } from 'node:timers/promises';
import type { HealthItem } from '../../kernel/index.ts';
import type { LiveLayer } from './live.ts';

/** A report right after the start waits this long for the first load; a large layer takes longer and says so. */
const patienceMs = 100;

export async function layerHealth(layer: LiveLayer): Promise<HealthItem> {
  if (!layer.isLoaded) {
    const giveUp = new AbortController();
    const patience = setTimeout(patienceMs, undefined, { signal: giveUp.signal, ref: false }).catch(() => undefined);
    await Promise.race([layer.ready(), patience]);
    giveUp.abort();
  }
  const component = 'semanticLayer';
  if (!layer.isLoaded) {
    const message = 'The files are being loaded.';
    return { component, status: 'ok', message, details: { entityCount: layer.entityCount } };
  }
  const { entities, problems } = layer.current();
  const details = { entityCount: entities.length, problemCount: problems.length };
  const [problem] = problems;
  if (problem === undefined) return { component, status: 'ok', details };
  if (problem.file === '.') return { component, status: 'not_configured', message: problem.message, details };
  const others = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  const message = `${problem.file}, line ${problem.line}, column ${problem.column}: ${problem.message}${others}`;
  return { component, status: entities.length > 0 ? 'degraded' : 'error', message, details };
}
