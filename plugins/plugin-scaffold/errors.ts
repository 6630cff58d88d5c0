/** Makes the errors of the command. */
import { AtlasError } from '../../kernel/index.ts';

export function wrongUse(message: string, hint = 'See: atlas plugin --help'): AtlasError {
  return new AtlasError(message, { code: 'invalid_request', hint });
}
