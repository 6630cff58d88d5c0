/** Provides the tool `executeSQL`, which runs the model's SQL through the guarded pipeline. */
import { type Static, Type } from '@sinclair/typebox';
import {
  type AgentTool,
  AtlasError,
  datasourceList,
  type PluginContext,
  type Scope,
  type SqlReply,
  type ToolRun,
} from '../../../kernel/index.ts';
import { findDialect, type SqlDialect, SqlRefusal } from '../../sql-kit/index.ts';
import { notesOf } from '../notes.ts';
import { checkQuery } from './query-check.ts';
import { resultForModel } from './result-summary.ts';
import { shownTable, tableOf } from './result-table.ts';
import { repairedSql } from './sql-text.ts';

const ExecuteSqlInput = Type.Object({
  sql: Type.String({ minLength: 1, description: "One reading statement in the connection's dialect." }),
  connectionId: Type.Optional(Type.String({ description: 'Connection to run it on. Leave out for the default.' })),
});

const DESCRIPTION =
  'Runs one reading SQL statement. Gives columns, the first rows, rowCount and, where rows are left out, a summary; ' +
  'the user sees all rows. A statement that fails comes back as {error, hint}: change it before you run it again.';

const REPAIRED =
  'The model wrote a statement with escaped or typeset signs; it was refused as written and ran with plain ones.';

/** Longer statements are compared as written. */
const MAX_NORMALIZED_CHARS = 16_384;
/** Every alternative also matches without its end, so that matching takes linear time. */
const QUOTED_OR_SPACE = /'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+/g;

/**
 * Normalizes white space outside quoted text and comments, so that equal statements compare as equal. Statements with
 * other kinds of quoting stay as written.
 */
export function normalizeSpace(sql: string): string {
  if (sql.length > MAX_NORMALIZED_CHARS || /[\\$]/.test(sql)) return sql;
  const normalized = sql.replace(QUOTED_OR_SPACE, (found) => (/^\s/.test(found) ? ' ' : found));
  let end = normalized.length;
  while (end > 0 && ' ;'.includes(normalized.charAt(end - 1))) end -= 1;
  return normalized.slice(0, end).trimStart();
}

/** Runs a statement unless the same one has failed for this question; then it fails again without running. */
async function runOnce(run: ToolRun, key: string, start: () => Promise<SqlReply>): Promise<SqlReply> {
  const earlier = run.memory.get(key) as Promise<SqlReply> | undefined;
  if (earlier !== undefined) {
    return earlier.catch((error: unknown) => {
      if (!(error instanceof AtlasError)) throw error;
      throw new AtlasError(error.message, {
        code: error.code,
        hint: `The same statement failed before and was not run again. ${error.hint ?? 'Change it.'}`,
        cause: error,
      });
    });
  }
  const running = start();
  run.memory.set(key, running);
  const reply = await running;
  run.memory.delete(key);
  return reply;
}

/** A name that a model has made up for the only connection means that one: `undefined`. */
async function known(
  ctx: Pick<PluginContext, 'call'>,
  wanted: string | undefined,
  { scope }: ToolRun,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const connections = await ctx.call(datasourceList, undefined, scope);
  return connections.length === 1 && connections[0]?.value.id !== wanted ? undefined : wanted;
}

/** How the statements of a connection are written; of the main one for `undefined`. */
export async function connectionDialect(
  ctx: Pick<PluginContext, 'call'>,
  connectionId: string | undefined,
  scope: Scope,
): Promise<SqlDialect | undefined> {
  const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const connection = connections.find(({ id }) => id === (connectionId ?? 'default')) ?? connections[0];
  return connection && findDialect(ctx, connection.dbType, scope);
}

/** Another statement to try for one that was refused, when it looks escaped, labelled or typeset in its dialect. */
async function repairOf(
  ctx: Pick<PluginContext, 'call'>,
  { sql, connectionId }: { readonly sql: string; readonly connectionId: string | undefined },
  { scope }: ToolRun,
): Promise<string | undefined> {
  const dialect = await connectionDialect(ctx, connectionId, scope);
  const repaired = dialect && repairedSql(sql, dialect.notation);
  return repaired === sql ? undefined : repaired;
}

/** The reply to a repaired statement, with what the model wrote. */
function asWritten(reply: SqlReply, written: string): SqlReply {
  const { changes = [] } = reply.statement;
  const repair = { plugin: 'agent', reason: REPAIRED };
  return { ...reply, statement: { ...reply.statement, requested: written, changes: [repair, ...changes] } };
}

/** A statement that fails rejects with the error of the plugin that refused it. */
export function executeSqlTool(ctx: Pick<PluginContext, 'call' | 'runSql'>, resultBudgetBytes: number): AgentTool {
  /** `written`: what the model wrote, where that is not what runs. */
  async function execute(sql: string, connectionId: string | undefined, run: ToolRun, written?: string) {
    const { surface, conversationId, room } = run.question;
    const noteInsisted = await checkQuery(ctx, { sql, connectionId }, run);
    const reply = await runOnce(run, `executeSQL ${connectionId ?? ''} ${normalizeSpace(sql)}`, () =>
      ctx.runSql(
        {
          sql,
          surface,
          ...(connectionId !== undefined && { connectionId }),
          ...(conversationId !== undefined && { conversationId }),
        },
        run.scope,
      ),
    );
    const table = tableOf(written === undefined ? reply : asWritten(reply, written), sql);
    noteInsisted();
    const forModel = resultForModel(reply.result, room?.resultBytes ?? resultBudgetBytes);
    return { forModel, forClient: shownTable(table), table };
  }

  return {
    name: 'executeSQL',
    description: DESCRIPTION,
    input: ExecuteSqlInput,
    async run(input, run) {
      const { sql, connectionId: wanted } = input as Static<typeof ExecuteSqlInput>;
      // Models write an empty string for an omitted argument.
      const connectionId = (await known(ctx, wanted || undefined, run)) ?? run.question.connectionId;
      try {
        return await execute(sql, connectionId, run);
      } catch (error) {
        // What can be read runs as it was written, so only what was refused is repaired.
        const cause = error instanceof SqlRefusal ? error : (error as Error).cause;
        const repaired = cause instanceof SqlRefusal ? await repairOf(ctx, { sql, connectionId }, run) : undefined;
        if (repaired === undefined) throw error;
        const done = await execute(repaired, connectionId, run, sql);
        notesOf(run.memory).add({ code: 'sql_repaired', message: REPAIRED });
        return done;
      }
    },
  };
}
