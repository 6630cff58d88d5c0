/** The provenance of hundreds of answers is right: what it says, computed anew, gives the numbers that were answered. */
import { expect, it } from 'vitest';
import type { AnswerTable } from '../agent/index.ts';
import { type AskedCorpus, askedCorpus, originOf } from './fixtures/asked-corpus.ts';
import { describedStatement, openedTables } from './fixtures/recomputed.ts';

interface Tally {
  /** Results of which the tables were compared with those that SQLite opens. */
  tables: number;
  /** Results whose rows were computed anew. */
  rows: number;
  readonly wrong: string[];
}

const close = (one: unknown, other: unknown) =>
  one === other || Math.abs(Number(one) - Number(other)) <= 1e-6 * Math.max(1, Math.abs(Number(one)));

/** One row of measures as it was answered, or the sum of groups that add up, which the provenance alone gives too. */
function check({ model, database }: AskedCorpus, table: AnswerTable, tally: Tally): void {
  const origin = originOf(table);
  if (origin === undefined) return void tally.wrong.push(`no provenance: ${table.sql}`);
  const opened = openedTables(database, table.sql);
  const named = new Set(origin.tables.map(({ name }) => model.entity(name)?.table.toLowerCase() ?? name));
  tally.tables += 1;
  // A table that is joined for nothing is not opened.
  const isRight = [...opened].every((name) => named.has(name)) && named.size >= opened.size;
  if (!isRight) tally.wrong.push(`tables ${[...named]}, not ${[...opened]}: ${table.sql}`);
  const described = describedStatement(model, origin);
  if (described === undefined) return;
  const isGrouped = origin.measures.length < table.columns.length;
  const adds = origin.measures.every(({ sql = '' }) => /^(?:SUM\([^()]*\)|COUNT\(\*\))$/i.test(sql));
  if (isGrouped && (!adds || origin.limit.rows !== null || table.truncated)) return;
  if (!isGrouped && table.rows.length !== 1) return;
  let rows: Record<string, unknown>[];
  try {
    rows = database.prepare(described).all() as typeof rows;
  } catch (error) {
    // The SQL of a measure does not say of which of several tables its columns are.
    if (/ambiguous/.test(String(error))) return;
    throw error;
  }
  tally.rows += 1;
  for (const { column = '' } of origin.measures) {
    const answered = isGrouped
      ? table.rows.reduce((sum, row) => sum + Number(row[column]), 0)
      : table.rows[0]?.[column];
    const anew = rows[0]?.[column] ?? (isGrouped ? 0 : null);
    if (!close(answered, anew)) tally.wrong.push(`${column} ${answered}, not ${anew}: ${table.sql} -- ${described}`);
  }
}

it.each([
  ['shop', 60, 45],
  ['hotel', 40, 30],
])('%s: %i answers, of which at least %i are computed anew', async (name, answers, computed) => {
  await using corpus = await askedCorpus(name);
  const tally: Tally = { tables: 0, rows: 0, wrong: [] };
  for await (const table of corpus.answers(answers)) check(corpus, table, tally);
  expect(tally.wrong).toEqual([]);
  expect(tally.tables).toBe(answers);
  expect(tally.rows).toBeGreaterThanOrEqual(computed);
});

it.each([
  ['shop', 100, 80],
  ['saas', 60, 45],
])(
  '%s: statements that people wrote, %i of them, at least %i of which are computed anew',
  async (name, most, computed) => {
    await using corpus = await askedCorpus(name);
    const tally: Tally = { tables: 0, rows: 0, wrong: [] };
    for await (const table of corpus.statements(most)) check(corpus, table, tally);
    expect(tally.wrong).toEqual([]);
    expect(tally.rows).toBeGreaterThanOrEqual(computed);
  },
);
