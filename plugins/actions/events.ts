/** Defines the bus event of actions. */
import { defineEvent } from '../../kernel/index.ts';
import type { Move } from './rows.ts';

export interface ActionMoved {
  readonly id: string;
  readonly type: string;
  readonly move: Move;
  /** Empty: of no organization. */
  readonly orgId: string;
  readonly surface: string;
}

/** An action was asked for, resolved, performed or taken up again; after the move was stored. */
export const actionMoved = defineEvent<ActionMoved>('action:moved');
