/** Defines the actor of what the server does by itself, behind all requests. */
import type { Actor } from '../../kernel/index.ts';

/** Has the lowest role and no claims. Nobody waits for what it does: it is refused what somebody would have to approve. */
export const SYSTEM_ACTOR: Actor = Object.freeze({
  id: null,
  label: 'system',
  role: 'viewer',
  mode: 'system',
  claims: Object.freeze({}),
});
