/** Words the errors of outgoing calls. */
import { AtlasError } from '../../kernel/index.ts';

export function refused(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'invalid_request', reason: 'E_OUTBOUND_REFUSED', hint });
}

export function refusedAsPrivate(host: string): AtlasError {
  return refused(
    `The address ${host} is not allowed: it is private, local or reserved.`,
    'Use a host on the public internet, or have the operator add its host:port to SVC_ALLOW_PRIVATE_URLS.',
  );
}

/** No answer came; a later try may succeed. */
export function failed(message: string, cause?: unknown): AtlasError {
  return new AtlasError(message, { reason: 'E_OUTBOUND_FAILED', cause });
}
