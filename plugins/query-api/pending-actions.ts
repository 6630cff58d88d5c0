/** Shows the actions of an answer that await approval. */
import type { PendingAction } from '../../kernel/index.ts';
import type { Answer } from '../agent/index.ts';

/** `areOn`: actions can be asked for; the list is then there even if it is empty. Else `undefined` when there are none. */
export function shownActions(
  { pendingActions }: Pick<Answer, 'pendingActions'>,
  areOn: boolean,
): PendingAction[] | undefined {
  return areOn || pendingActions.length > 0 ? [...pendingActions] : undefined;
}
