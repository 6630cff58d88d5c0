/**
 * The proof that the agent runs what a model wrote: a statement that the parser reads reaches the engine as printed from
 * its own tree, and its rows are the engine's own. What it does not read runs, if at all, repaired, noted, and with the
 * rows of what was meant.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasourceExecute, datasourceList, definePlugin, type PluginContext } from '../../kernel/index.ts';
import { notesOf } from '../../plugins/agent/notes.ts';
import { executeSqlTool } from '../../plugins/agent/tools/execute-sql.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { DEFAULT_LIMITS, kitDialect, parseStatement, printStatement, SqlRefusal } from '../../plugins/sql-kit/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { Choices, shrink } from './choices.ts';
import type { FuzzEngine } from './engine.ts';
import { NOTES, StatementWriter } from './written-statements.ts';

export interface WrittenReport {
  readonly statements: number;
  /** Statements that the parser reads. */
  readonly read: number;
  /** Damaged statements that ran repaired. */
  readonly repaired: number;
  /** The first failure, shrunk. */
  readonly failure: string | undefined;
}

const ENTITY = `name: notes
table: notes
dimensions:
  - { name: id, sql: id, type: number }
  - { name: body, sql: body, type: string }
`;

/** What models and their servers do to a whole statement. */
const DAMAGES: readonly ((sql: string) => string)[] = [
  (sql) => sql.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;'),
  (sql) => `SQL: ${sql}`,
  (sql) => sql.replace(/ FROM /, '\\nFROM '),
];

/** Runs `statements` statements from `seed` on, and stops at the first failure. */
export async function asWritten(engine: FuzzEngine, seed: number, statements: number): Promise<WrittenReport> {
  const dialect = await kitDialect(engine.dialect.dbType);
  await dialect.load?.();
  const database = await engine.open(NOTES);
  const dir = await mkdtemp(join(tmpdir(), 'atlas-as-written-'));
  await mkdir(join(dir, 'entities'));
  await writeFile(join(dir, 'entities', 'notes.yml'), ENTITY);
  let executed: string[] = [];
  const source = definePlugin({
    name: 'fuzz-source',
    version: '1.0.0',
    type: 'datasource',
    description: 'The database of the proof.',
    setup(ctx): PluginContext {
      const { dbType, schema } = engine.dialect;
      ctx.tap(datasourceList, () => [{ id: 'default', dbType, schema, maskedUrl: '' }]);
      ctx.tapKey(datasourceExecute, 'default', async ({ sql }) => {
        executed.push(sql);
        const { columns, rows } = await database.query(sql);
        const named = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
        return { columns, rows: named, truncated: false, notes: [] };
      });
      return ctx;
    },
  });
  const app = await createTestApp({ plugins: [semanticLayer({ dir }), sqlGuard(), source()] });
  const tool = executeSqlTool(app.get(source), 4_096);

  /** Why the statement of these choices fails, and what became of it. */
  async function judged(choices: Choices): Promise<{ problem?: string; isRead: boolean; isRepaired: boolean }> {
    const meant = new StatementWriter(choices, engine.dialect, dialect).statement();
    const sql = choices.chance(40) ? choices.pick(DAMAGES)(meant) : meant;
    const printed = readable(sql);
    const own = await outcome(async () => (await database.query(printed === undefined ? meant : sql)).rows);
    executed = [];
    const memory = new Map<string, unknown>();
    const question = { turns: [], surface: 'api' } as const;
    const answered = await outcome(async () => {
      const { table } = await tool.run({ sql }, { scope: app.scope(), question, memory });
      return table?.rows.map((row) => Object.values(row));
    });
    const isNoted = notesOf(memory).list.some(({ code }) => code === 'sql_repaired');
    const state = { isRead: printed !== undefined, isRepaired: isNoted };
    const fail = (what: string) => ({
      ...state,
      problem: [what, `statement: ${sql}`, `meant: ${meant}`, `ran: ${executed.join('\n')}`, `${own}`, answered].join(
        '\n',
      ),
    });
    if (printed !== undefined) {
      if (executed.length !== 1 || executed[0] !== printed || isNoted) return fail('It did not run as written.');
      return own === answered ? state : fail('Its rows are not those of the engine.');
    }
    if (executed.length === 0) return state;
    if (!isNoted) return fail('It was changed without a note.');
    return own === answered ? state : fail('The repaired statement has other rows than what was meant.');
  }

  /** As it has to run; `undefined` when the parser does not read it. */
  function readable(sql: string): string | undefined {
    try {
      return printStatement(parseStatement(sql, dialect, DEFAULT_LIMITS), dialect).sql;
    } catch (error) {
      if (error instanceof SqlRefusal) return undefined;
      throw error;
    }
  }

  try {
    let [read, repaired] = [0, 0];
    for (let done = 0; done < statements; done += 1) {
      const choices = Choices.seeded(seed + done);
      const { problem, isRead, isRepaired } = await judged(choices);
      if (isRead) read += 1;
      if (isRepaired) repaired += 1;
      if (problem === undefined) continue;
      const fails = async (list: readonly number[]) => (await judged(Choices.replay(list))).problem !== undefined;
      const smallest = await shrink(choices.taken, fails);
      const failure = `--seed ${seed + done}\n${(await judged(Choices.replay(smallest))).problem}`;
      return { statements: done + 1, read, repaired, failure };
    }
    return { statements, read, repaired, failure: undefined };
  } finally {
    await app.close();
    await database.close();
    await rm(dir, { recursive: true });
  }
}

async function outcome(run: () => Promise<unknown>): Promise<string> {
  try {
    const rows = await run();
    return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
}
