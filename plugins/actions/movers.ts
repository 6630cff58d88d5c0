/** Says who moves an action and from where. */
import type { Scope } from '../../kernel/index.ts';
import type { Mover } from './rows.ts';

export function moverOf({ actor, requestId }: Scope, surface: string, ip: string | null): Mover {
  return {
    actor_id: actor.id,
    actor_label: actor.label,
    auth_mode: actor.mode,
    ip,
    surface,
    request_id: requestId,
  };
}

/** The server itself: what is approved by the mode of its type, expires, or is taken up after a crash. */
export function systemMover(requestId: string): Mover {
  return { actor_id: null, actor_label: null, auth_mode: 'system', ip: null, surface: 'system', request_id: requestId };
}
