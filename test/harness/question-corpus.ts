/** Loads the question corpora below `test/fixtures/questions`, with their layers and databases. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import Database from 'better-sqlite3';
import { parse } from 'yaml';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { comparisonOf, type Row, sameRows } from './same-rows.ts';

const closed = { additionalProperties: false };
const Outcome = Type.Union([Type.Literal('rows'), Type.Literal('clarify'), Type.Literal('unclear')]);
const Question = Type.Object(
  {
    question: Type.String({ minLength: 1 }),
    /** Questions asked before in the same conversation, oldest first. */
    history: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    /** Hand-written and right, for SQLite. */
    sql: Type.Optional(Type.String()),
    /** Other readings that are as right. */
    alternatives: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    /** One outcome or several acceptable ones. Default `rows`. */
    expect: Type.Optional(Type.Union([Outcome, Type.Array(Outcome, { minItems: 2 })])),
  },
  closed,
);
const QuestionFile = Type.Object(
  { now: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), questions: Type.Array(Question) },
  closed,
);

export type Outcome = Static<typeof Outcome>;

export interface CorpusQuestion {
  readonly question: string;
  readonly history: readonly string[];
  readonly expect: readonly Outcome[];
  /** Every acceptable statement, the preferred one first; none unless `expect` has `rows`. */
  readonly sql: readonly string[];
}

export interface Corpus {
  readonly name: string;
  /** Root of the semantic layer. */
  readonly layer: string;
  /** What today is when the questions are asked. */
  readonly now: Date;
  readonly questions: readonly CorpusQuestion[];
  /** Writes the data as a SQLite file. */
  createDatabase(path: string): Promise<void>;
}

/** What a reader made of a question; `rows` if it answered with data. */
export interface Answer {
  readonly outcome: Outcome;
  readonly rows?: readonly Row[];
}

/**
 * `right`: an acceptable outcome and, if it has rows, the expected ones. `missed`: it honestly did not answer, but should
 * have, or it asked back instead of declining or the other way round. `wrong`: rows that are not the answer.
 */
export function judge(
  question: CorpusQuestion,
  answer: Answer,
  run: (sql: string) => Row[],
): 'right' | 'missed' | 'wrong' {
  if (answer.outcome !== 'rows') return question.expect.includes(answer.outcome) ? 'right' : 'missed';
  const given = answer.rows ?? [];
  return question.sql.some((sql) => sameRows(given, run(sql), comparisonOf(sql))) ? 'right' : 'wrong';
}

const root = join(import.meta.dirname, '..', 'fixtures', 'questions');

export const corpusNames = (): string[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

export function readCorpus(name: string): Corpus {
  const file: unknown = parse(readFileSync(join(root, name, 'questions.yml'), 'utf8'), { schema: 'core' });
  const error = Value.Errors(QuestionFile, file).First();
  if (error) throw new Error(`${name}/questions.yml${error.path}: ${error.message}`);
  const { now, questions } = file as Static<typeof QuestionFile>;
  const isDemo = name === 'shop';
  return {
    name,
    layer: isDemo ? join(import.meta.dirname, '..', '..', 'semantic') : join(root, name, 'layer'),
    now: new Date(`${now}T12:00:00Z`),
    questions: questions.map(({ question, history = [], sql, alternatives = [], expect = 'rows' }) => ({
      question,
      history,
      expect: [expect].flat(),
      sql: sql === undefined ? [] : [sql, ...alternatives],
    })),
    createDatabase: async (path) => (isDemo ? createSimpleDemo(path) : writeRows(path, name)),
  };
}

async function writeRows(path: string, name: string): Promise<void> {
  const data = (await import(pathToFileURL(join(root, name, 'data.ts')).href)) as {
    schema: string;
    rows(): Record<string, object[]>;
  };
  const database = new Database(path);
  database.exec(data.schema);
  database.transaction(() => {
    for (const [table, rows] of Object.entries(data.rows())) {
      const columns = Object.keys(rows[0] ?? {});
      const values = columns.map((column) => `@${column}`).join(', ');
      const statement = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`);
      for (const row of rows) statement.run(row);
    }
  })();
  database.close();
}
