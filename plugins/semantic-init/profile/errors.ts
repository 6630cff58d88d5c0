/** Makes the errors of a command whose configuration or flags cannot be used. */
import { AtlasError } from '../../../kernel/index.ts';

export const wrong = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'configuration_error', ...(hint !== undefined && { hint }) });
