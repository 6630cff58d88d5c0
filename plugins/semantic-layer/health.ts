/** Says what is wrong with the semantic layer: to anybody who reads the health report without names, to the operator with them. */
import { type HealthItem, within } from '../../kernel/index.ts';
import type { LiveLayer } from './reloading-layer.ts';

/** A report right after the start waits this long for the first load; a large layer takes longer and says so. */
const PATIENCE_MS = 100;

/** Shows the layer as it is whenever the item is read: the layer notices changes by itself. */
export async function layerHealth(layer: LiveLayer): Promise<HealthItem> {
  if (!layer.isSettled)
    await within(
      PATIENCE_MS,
      layer.ready().catch(() => undefined),
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

function stateOf(layer: LiveLayer): State {
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
