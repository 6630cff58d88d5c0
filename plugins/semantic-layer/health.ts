/** Reports the health of the semantic layer, without the names of anything in it. */
import { type HealthItem, withTimeout } from '../../kernel/index.ts';
import type { ReloadingLayer } from './reloading-layer.ts';

/** How long a report right after the start waits for the first load. */
const FIRST_LOAD_TIMEOUT_MS = 100;

/** An item whose fields are read from the layer on access, so that they are always current. */
export async function layerHealth(layer: ReloadingLayer): Promise<HealthItem> {
  if (!layer.isSettled)
    await withTimeout(
      layer.ready().catch(() => undefined),
      FIRST_LOAD_TIMEOUT_MS,
      () => undefined,
    );
  return {
    component: 'semanticLayer',
    get status() {
      return stateOf(layer).status;
    },
    get message() {
      return stateOf(layer).message;
    },
    get details() {
      return stateOf(layer).details;
    },
  } as HealthItem;
}

type State = Pick<HealthItem, 'status' | 'message' | 'details'>;

function stateOf(layer: ReloadingLayer): State {
  if (!layer.isLoaded) {
    return { status: 'ok', message: 'The files are being loaded.', details: { entityCount: layer.entityCount } };
  }
  const { entities, problems, summary } = layer.current();
  const details = { entityCount: entities.length, problemCount: problems.length };
  const [problem] = problems;
  if (problem === undefined) return { status: 'ok', details };
  if (problem.file === '.' && entities.length === 0)
    return { status: 'not_configured', message: problem.message, details };
  const faults = problems.length === 1 ? 'is 1 problem' : `are ${problems.length} problems`;
  const message = summary ?? `There ${faults} in the files of the semantic layer; the log names the places.`;
  return { status: entities.length > 0 ? 'degraded' : 'error', message, details };
}
