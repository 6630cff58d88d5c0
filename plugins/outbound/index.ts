/** Calls addresses that a user or the model chose, and refuses private ones. */
import { definePlugin } from '../../kernel/index.ts';
import type { Outbound } from './api.ts';
import { openOutbound } from './client.ts';
import { OutboundOptions } from './options.ts';

export { isPublicAddress } from './addresses.ts';
export type { Outbound, OutboundRequest, OutboundResponse } from './api.ts';
export { openOutbound } from './client.ts';
export { userHeaders } from './headers.ts';
export { fewAtOnce, resolveName } from './resolve.ts';

export const outbound = definePlugin({
  name: 'outbound',
  version: '1.0.0',
  type: 'core',
  description: 'Calls addresses that users or the model chose, and refuses private ones.',
  options: OutboundOptions,
  setup: (_ctx, options): Outbound => openOutbound(options),
});
