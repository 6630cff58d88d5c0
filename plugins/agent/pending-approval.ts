/** Makes the error for a statement that awaits approval, and finds the pending action in it. */
import { AtlasError, type PendingAction, scopeValue } from '../../kernel/index.ts';

const REASON = 'E_APPROVAL_REQUIRED';
/** Code of the note of an answer for which a statement was not run. */
export const APPROVAL_PENDING = 'approval_pending';
/** How the hint begins that a model gets with the error of a statement that awaits approval. */
export const APPROVAL_HINT = 'Tell the user that it awaits approval.';

/** Set in the scope of a statement that is only tried, as one of several for a question: nothing is filed for it. */
export const triedOnly = scopeValue<true>();

/** A tool that rejects with it adds the action to the pending ones of the answer. */
export function approvalRequired(message: string, hint: string, action: PendingAction): AtlasError {
  return new AtlasError(message, { code: 'sql_refused', reason: REASON, hint, details: [action] });
}

/** The action that a statement awaits which was not run; `undefined` for every other error. */
export function pendingActionOf(error: unknown): PendingAction | undefined {
  if (!(error instanceof AtlasError)) return undefined;
  return error.reason === REASON ? (error.details?.[0] as PendingAction) : pendingActionOf(error.cause);
}
