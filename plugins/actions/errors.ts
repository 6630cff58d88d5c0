/** Words the refusals of actions. */
import { AtlasError } from '../../kernel/index.ts';
import type { ActionRow } from './rows.ts';
import type { ActionStatus } from './schemas.ts';

export const notEnabled = () =>
  new AtlasError('Actions are not enabled on this server.', {
    code: 'not_available',
    reason: 'E_ACTIONS_OFF',
    hint: 'Set SVC_ACTIONS_ENABLED=true and DATABASE_URL, and start again.',
  });

export const notFound = () =>
  new AtlasError('There is no such action.', { code: 'not_found', hint: 'GET /api/v1/actions lists yours.' });

/** One requester has too many actions that await approval. */
export const tooManyPending = (most: number) =>
  new AtlasError(`${most} of your actions await approval already.`, {
    code: 'invalid_request',
    hint: 'Have them approved or denied first.',
  });

const WAS: Readonly<Record<Exclude<ActionStatus, 'pending'>, string>> = {
  approved: 'was approved before, and is being performed',
  denied: 'was denied before',
  executed: 'was approved before, and has been performed',
  failed: 'was approved before, and has failed',
};

/** Why an action is denied whose time is over. */
export const EXPIRED = 'It was not approved in time.';

/** The action is not `pending` any more. */
export function alreadyResolved({ status, reason, resolved_at, expires_at }: ActionRow): AtlasError {
  if (status === 'denied' && reason === EXPIRED) {
    return new AtlasError(`The action was not approved in time: it could be approved until ${expires_at}.`, {
      code: 'conflict',
      reason: 'E_ACTION_EXPIRED',
      hint: 'Ask for it again.',
    });
  }
  const how = status === 'pending' ? 'is being resolved by another request' : WAS[status];
  const when = status === 'pending' || resolved_at === null ? '' : ` (${resolved_at})`;
  return new AtlasError(`The action ${how}${when}.`, {
    code: 'conflict',
    reason: 'E_ACTION_RESOLVED',
    hint: 'GET /api/v1/actions?status=pending lists what still awaits approval.',
  });
}

export const ownAdminAction = (isAnonymous: boolean) =>
  new AtlasError(
    isAnonymous
      ? 'This action needs the approval of an administrator other than its requester, and without authentication they cannot be told apart.'
      : 'You asked for this action yourself, so another administrator has to approve it.',
    {
      code: 'forbidden',
      reason: 'E_ACTION_OWN',
      hint: isAnonymous
        ? 'Deny it, or choose an authentication mode with SVC_AUTH_MODE.'
        : 'Ask another administrator; GET /api/v1/admin/actions shows it to them.',
    },
  );
