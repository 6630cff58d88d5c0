/** Tells the audit log of a move. */
import type { AuditedEvent } from '../audit/index.ts';
import type { ActionRow } from './rows.ts';
import type { Change } from './store.ts';

export function auditedMove(row: ActionRow, { move, at, mover, note = null }: Change): AuditedEvent {
  const from = mover.ip === null ? '' : ` from ${mover.ip}`;
  const reason = move === 'denied' && note !== null ? `; reason: ${note}` : '';
  return {
    at,
    text: `action ${move}${from}: ${row.action_type} to ${row.target} (${row.id}): ${row.summary}${reason}`,
    userId: mover.actor_id,
    userLabel: mover.actor_label,
    authMode: mover.auth_mode,
    orgId: row.org_id === '' ? null : row.org_id,
    surface: mover.surface,
    requestId: mover.request_id,
    conversationId: row.conversation_id,
    error: move === 'failed' ? note : null,
  };
}
