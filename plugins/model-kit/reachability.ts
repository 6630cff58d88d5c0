/** Asks the server of a model for its list of models, to learn whether it can be reached. */
import type { HealthItem } from '../../kernel/index.ts';
import { networkCodeOf } from './provider-errors.ts';
import type { ModelSource } from './source.ts';

const ANSWER_WITHIN_MS = 3_000;

/** `undefined` when it answers, whatever it says, and when the source cannot be asked. */
export async function unreachable(
  { provider, missing, models }: ModelSource,
  signal: AbortSignal,
): Promise<HealthItem | undefined> {
  if (missing !== undefined || models === undefined) return undefined;
  const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    await models(AbortSignal.any([limit, signal]));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no answer within ${ANSWER_WITHIN_MS} ms` : networkCodeOf(error);
    // A server without such a list is there.
    if (why === undefined) return undefined;
    const message = `The server of the model provider "${provider}" cannot be reached (${why}). Start it, or check its base URL.`;
    return { component: 'provider', status: 'error', message };
  }
}
