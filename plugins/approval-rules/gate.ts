/** Holds statements back that an approval rule matches, and asks for their approval. */
import {
  AtlasError,
  type Awaitable,
  type PendingAction,
  type PluginContext,
  type Scope,
  type SqlStatement,
} from '../../kernel/index.ts';
import type { Actions } from '../actions/index.ts';
import type { FreshValues } from '../admin-kit/index.ts';
import { approvalRequired, triedOnly } from '../agent/index.ts';
import { previewedBy, SYSTEM_ACTOR } from '../auth-kit/index.ts';
import type { ApprovedStatements } from './approved-statements.ts';
import type { Match } from './matching.ts';
import type { ApprovalRulesOptions } from './options.ts';
import type { Rule } from './schemas.ts';
import { SQL_ACTION, type SqlPayload } from './sql-action.ts';
import type { StatementMatcher } from './statement-matcher.ts';

/** Most statements of one requester that may await approval. */
const MAX_PENDING = 100;

export interface GateInit {
  readonly ctx: Pick<PluginContext, 'call' | 'callKey' | 'logOf'>;
  readonly options: ApprovalRulesOptions;
  readonly rules: FreshValues<readonly Rule[]>;
  readonly approved: ApprovedStatements;
  readonly actions: Actions | undefined;
}

export class Gate {
  readonly #init: GateInit;
  /** Loaded with the first statement where there are rules. */
  #matcher: StatementMatcher | undefined;

  constructor(init: GateInit) {
    this.#init = init;
  }

  /** Rejects with `sql_refused` for a statement that needs approval. Costs a look-up in a map where there are no rules. */
  check(statement: SqlStatement, scope: Scope): Awaitable<void> {
    const rules = this.#init.rules.of(scope.orgId);
    if (rules instanceof Promise) return rules.then((loaded) => this.#checked(loaded, statement, scope));
    return this.#checked(rules, statement, scope);
  }

  #checked(rules: readonly Rule[], statement: SqlStatement, scope: Scope): Awaitable<void> {
    if (rules.length > 0) return this.#tried(rules, statement, scope);
  }

  async #tried(rules: readonly Rule[], statement: SqlStatement, scope: Scope): Promise<void> {
    const { approved, ctx } = this.#init;
    if (approved.take(statement, scope)) return;
    this.#matcher ??= new (await import('./statement-matcher.ts')).StatementMatcher(ctx);
    const match = await this.#matcher.match(rules, statement, scope);
    if (match !== undefined) throw await this.#held(match, statement, scope);
  }

  /** The error for the caller, once the statement has been stored for approval. */
  async #held({ rule, reason }: Match, statement: SqlStatement, scope: Scope): Promise<AtlasError> {
    const { actions, options } = this.#init;
    const why = `it ${reason} (approval rule "${rule.name}")`;
    if (previewedBy.nearest(scope) !== undefined) {
      return new AtlasError(`The statement was not run: ${why}.`, {
        code: 'sql_refused',
        reason: 'E_APPROVAL_PREVIEW',
        hint: 'Asked by the reader, it would await approval.',
      });
    }
    if (scope.actor === SYSTEM_ACTOR || triedOnly.nearest(scope) === true) {
      return new AtlasError(`The statement was not run: ${why}, and nobody has asked for it.`, {
        code: 'sql_refused',
        reason: 'E_APPROVAL_UNASKED',
        hint: 'Nothing has to be done; without the rule it would run.',
      });
    }
    if (actions?.available !== true) {
      return new AtlasError(`The statement was not run: ${why}, and nothing can be approved on this server.`, {
        code: 'sql_refused',
        reason: 'E_APPROVAL_OFF',
        hint: 'Ask an administrator to set SVC_ACTIONS_ENABLED=true, or to change the rule.',
      });
    }
    const { requested, connection, surface, conversationId } = statement;
    const payload: SqlPayload = {
      sql: requested,
      connectionId: connection.id,
      reason: why,
      ...(conversationId !== undefined && { conversationId }),
    };
    const asked = await actions.request(
      {
        type: SQL_ACTION,
        payload,
        surface,
        conversationId,
        approval: scope.actor.id === null ? 'manual' : options.approval,
        // As the guard has printed it: spaces and comments make no other statement.
        key: JSON.stringify([connection.id, statement.shown?.sql ?? requested]),
        maxPending: MAX_PENDING,
      },
      scope,
    );
    if (asked.pendingAction !== undefined) return heldBack(why, asked.approval, asked.pendingAction);
    const denied = asked.reason ?? asked.error ?? 'it was not allowed';
    return new AtlasError(`The statement was not run: ${why}, and its approval was denied: ${denied}`, {
      code: 'sql_refused',
      reason: 'E_APPROVAL_DENIED',
      hint: 'Ask for something else.',
    });
  }
}

function heldBack(why: string, approval: string, action: PendingAction): AtlasError {
  const by = approval === 'admin-only' ? 'an administrator other than you' : 'a user who may approve actions';
  return approvalRequired(
    `The statement needs approval and was not run: ${why}. It awaits approval by ${by} as action ${action.id}.`,
    `Do not run it again or in another form. Once it is approved, GET /api/v1/actions/${action.id} has its rows.`,
    action,
  );
}
