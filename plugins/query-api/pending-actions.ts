/** Shows the actions of an answer that await approval. */
import type { PendingAction } from '../../kernel/index.ts';
import type { Answer } from '../agent/index.ts';

/** `undefined` when there are none. */
export function shownActions({ pendingActions }: Pick<Answer, 'pendingActions'>): PendingAction[] | undefined {
  return pendingActions.length > 0 ? [...pendingActions] : undefined;
}
