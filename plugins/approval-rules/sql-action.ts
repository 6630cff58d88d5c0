/** Brings the type of action `sql`: runs a statement that was held back and approved, as its requester. */
import {
  AtlasError,
  authAuthorize,
  type Identity,
  type PluginContext,
  type Scope,
  type SqlResult,
  type Static,
  Type,
} from '../../kernel/index.ts';
import { defineAction } from '../actions/index.ts';
import { lookUpActor } from '../auth-kit/index.ts';
import type { QueryApi } from '../query-api/index.ts';
import type { ApprovedStatements } from './approved-statements.ts';

export const SQL_ACTION = 'sql';
/** Limit for the rows of a result, as JSON; the store of actions takes a little more. */
const MAX_RESULT_CHARS = 48 * 1024;
const MAX_SHOWN_SQL = 400;

const Payload = Type.Object(
  {
    sql: Type.String({ minLength: 1 }),
    connectionId: Type.String({ minLength: 1 }),
    reason: Type.String({ description: 'Why it needs approval.' }),
    conversationId: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export type SqlPayload = Static<typeof Payload>;

/** What the requester is shown. */
export interface StatementResult extends Pick<SqlResult, 'columns' | 'rows' | 'truncated' | 'notes'> {
  /** Counts all rows, those left out included. */
  readonly rowCount: number;
}

type Ctx = Pick<PluginContext, 'tap' | 'tapKey' | 'call' | 'callKey' | 'scope' | 'runSql'>;

export function defineSqlAction(ctx: Ctx, approved: ApprovedStatements, showsSql: QueryApi['showsSql']): void {
  defineAction(ctx, {
    type: SQL_ACTION,
    tool: false,
    description: 'Runs a statement that an approval rule holds back.',
    input: Payload,
    approval: 'manual',
    reversible: true,
    describe: ({ sql, connectionId, reason }) => ({
      target: connectionId,
      summary: `Run a statement, because ${reason}: ${shortened(sql)}`,
    }),
    shownToOthers: (result) => {
      const { columns, rowCount, truncated } = result as StatementResult;
      return { columns, rowCount, truncated };
    },
    isShownTo: showsSql,
    async run({ sql, connectionId, conversationId }, { scope }) {
      const { actor, orgId } = await requesterOf(ctx, scope);
      const own = ctx.scope({ requestId: scope.requestId, actor, orgId, signal: scope.signal });
      await ctx.call(authAuthorize, { right: 'query', operation: 'An approved statement' }, own);
      approved.allow(own, { sql, connectionId, orgId });
      const ids = { connectionId, ...(conversationId !== undefined && { conversationId }) };
      const { result } = await ctx.runSql({ sql, surface: 'approval', ...ids }, own);
      return bounded(result);
    },
  });
}

/** As the statement runs: with the present role and claims of the requester. Throws `forbidden` when there is none. */
async function requesterOf(ctx: Ctx, { actor, orgId }: Scope): Promise<Identity> {
  const found = await lookUpActor(ctx, actor.mode, { actorId: actor.id, orgId });
  // The mode cannot look anybody up: what the requester presented with the statement is all there is.
  if (found.state === 'unknown') return { actor, orgId };
  const refusal = found.state === 'refused' ? found.reason : undefined;
  if (found.state === 'present' && found.identity.orgId === orgId) return found.identity;
  throw new AtlasError(
    `The statement cannot run as its requester any more: ${refusal ?? 'they have left the organization.'}`,
    { code: 'forbidden', reason: 'E_APPROVAL_REQUESTER', hint: 'Ask for it again as a user who may.' },
  );
}

/** As many rows as fit into the result of an action. */
function bounded({ columns, rows, truncated, notes }: SqlResult): StatementResult {
  let kept = rows;
  while (kept.length > 0 && JSON.stringify(kept).length > MAX_RESULT_CHARS) kept = kept.slice(0, kept.length >> 1);
  const isCut = kept.length < rows.length;
  return {
    columns,
    rows: kept,
    rowCount: rows.length,
    truncated: truncated || isCut,
    notes: isCut ? [...notes, `Only the first ${kept.length} of ${rows.length} rows are kept.`] : notes,
  };
}

function shortened(sql: string): string {
  return sql.length <= MAX_SHOWN_SQL ? sql : `${sql.slice(0, MAX_SHOWN_SQL).toWellFormed()}…`;
}
