/** Connects to model providers whose address an organization chose, and to no private one. */
import { AtlasError } from '../../kernel/index.ts';
import { type Connections, keptConnections } from '../model-kit/index.ts';
import type { Outbound } from '../outbound/index.ts';

/** An address that turns out to be private only now is a provider that cannot be reached: the question is not wrong. */
function asProviderError(error: unknown): never {
  if (!(error instanceof AtlasError)) throw error;
  const { message, hint } = error;
  throw new AtlasError(message, { code: 'provider_unreachable', reason: error.reason, hint, cause: error });
}

/** Checked where each connection goes. Redirects are not followed: they are answers that no provider gives. */
export function guardedConnections({ guard }: Pick<Outbound, 'guard'>): Connections {
  const connections = keptConnections({ guard });
  return { ...connections, send: (...request) => connections.send(...request).catch(asProviderError) };
}
