/** Tells of a missing recording in place of the failure that a model plugin makes of it. */
import { AtlasError } from '../../kernel/index.ts';
import type { Ask } from '../agent/index.ts';
import { MISSING } from './server.ts';

const MESSAGE = new RegExp(`${MISSING}[^"\\\\\n]*(?:\\\\.[^"\\\\\n]*)*`);
const MAX_CAUSES = 8;

export function namingMissing(ask: Ask): Ask {
  return async function* (...asked) {
    try {
      yield* ask(...asked);
    } catch (error) {
      throw missingIn(error) ?? error;
    }
  };
}

function missingIn(error: unknown): AtlasError | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const { responseBody, data, message } = current as Error & { responseBody?: unknown; data?: unknown };
    const [found] = MESSAGE.exec(`${message}\n${String(responseBody ?? '')}\n${JSON.stringify(data ?? '')}`) ?? [];
    if (found !== undefined) {
      const text = found.replaceAll('\\"', '"');
      return new AtlasError(text, { code: 'configuration_error', reason: 'E_RECORDING_MISSING', cause: error });
    }
    current = current.cause;
  }
  return undefined;
}
