/** The tool that runs the model's SQL, through the same guarded path as everybody's. */
import { type Static, Type } from '@sinclair/typebox';
import { type AgentTool, AtlasError, type PluginContext, type SqlReply, type ToolRun } from '../../../kernel/index.ts';
import { resultForModel } from './result-summary.ts';

const ExecuteSqlInput = Type.Object({
  sql: Type.String({ minLength: 1, description: "One reading statement in the connection's dialect." }),
  connectionId: Type.Optional(Type.String({ description: 'Connection to run it on. Leave out for the default.' })),
});

const DESCRIPTION =
  'Runs one reading SQL statement. Gives columns, the first rows, rowCount and, where rows are left out, a summary; ' +
  'the user sees all rows. A statement that fails comes back as {error, hint}: change it before you run it again.';

/** Longer ones are compared as they are. */
const LONGEST_RESPELT_CHARS = 16_384;
/** Every alternative matches wherever it begins, with or without its end, so that each character is read once. */
const QUOTED_OR_SPACE = /'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+/g;

/**
 * One spelling for statements that differ in white space only; quoted text and comments stay as they are. Statements
 * with other ways of quoting are left alone.
 */
export function spelling(sql: string): string {
  if (sql.length > LONGEST_RESPELT_CHARS || /[\\$]/.test(sql)) return sql;
  const spelt = sql.replace(QUOTED_OR_SPACE, (found) => (/^\s/.test(found) ? ' ' : found));
  let end = spelt.length;
  while (end > 0 && ' ;'.includes(spelt.charAt(end - 1))) end -= 1;
  return spelt.slice(0, end).trimStart();
}

/** A statement that has failed for this question fails again, unrun; one that is running is waited for. */
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

/** `executeSQL`. Statements that fail reject with the code of whoever refused them. */
export function executeSqlTool(runSql: PluginContext['runSql'], resultBudgetBytes: number): AgentTool {
  return {
    name: 'executeSQL',
    description: DESCRIPTION,
    input: ExecuteSqlInput,
    async run(input, run) {
      const { sql, connectionId: wanted } = input as Static<typeof ExecuteSqlInput>;
      const { surface, conversationId } = run.question;
      // Models fill optional arguments with empty text.
      const connectionId = wanted || run.question.connectionId;
      const reply = await runOnce(run, `executeSQL ${connectionId ?? ''} ${spelling(sql)}`, () =>
        runSql(
          {
            sql,
            surface,
            ...(connectionId !== undefined && { connectionId }),
            ...(conversationId !== undefined && { conversationId }),
          },
          run.scope,
        ),
      );
      const { columns, rows, truncated } = reply.result;
      return {
        forModel: resultForModel(reply.result, resultBudgetBytes),
        forClient: { columns, rows, truncated },
        table: { sql, connectionId: reply.statement.connection.id, columns, rows, truncated },
      };
    },
  };
}
