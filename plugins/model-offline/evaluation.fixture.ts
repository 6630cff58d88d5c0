/** Asks questions of a layer and compares the rows with those of hand-written SQL; `>>` separates messages. */
import type Database from 'better-sqlite3';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { readQuestion } from './conversation.ts';

const sqlite = await kitDialect('sqlite');

export interface Verdict {
  readonly question: string;
  readonly verdict: 'right' | 'wrong' | 'refused' | 'rightly refused';
  readonly detail: string;
}

export function ask(
  question: string,
  expected: string | null,
  model: SemanticModel,
  database: Database.Database,
  now: Date,
): Verdict {
  const reading = readQuestion(question.split(' >> '), model, { now });
  if (reading.kind !== 'plan') {
    const detail =
      reading.kind === 'clarify'
        ? `${reading.question} ${reading.choices.join(' | ')}`
        : reading.kind === 'unclear'
          ? `${reading.words.join(', ')} ${reading.reason}`
          : reading.text;
    return { question, verdict: expected === null ? 'rightly refused' : 'refused', detail };
  }
  const { sql } = compileQuery(model, reading.plan, { dialect: sqlite });
  if (expected === null) return { question, verdict: 'wrong', detail: `should not be answered: ${sql}` };
  const actual = rowsOf(database, sql);
  const wanted = rowsOf(database, expected);
  const isRight = sameRows(actual, wanted);
  return {
    question,
    verdict: isRight ? 'right' : 'wrong',
    detail: isRight
      ? ''
      : `${sql}\n${JSON.stringify(actual.slice(0, 4))} (${actual.length})\nwanted ${JSON.stringify(wanted.slice(0, 4))} (${wanted.length})`,
  };
}

const rowsOf = (database: Database.Database, sql: string): unknown[][] =>
  database.prepare(sql).raw().all() as unknown[][];

const cell = (value: unknown): string =>
  typeof value === 'number' ? String(Math.round(value * 1e6) / 1e6) : String(value);

/** Each wanted row has a row of its own that holds all its values; a month may be given as its first day. */
function sameRows(actual: readonly unknown[][], wanted: readonly unknown[][]): boolean {
  if (actual.length !== wanted.length) return false;
  const free = actual.map((row) => row.map(cell));
  for (const row of wanted) {
    const at = free.findIndex((candidate) =>
      row
        .map(cell)
        .every((value) =>
          candidate.some(
            (own) =>
              own === value ||
              (/^\d{4}-\d\d$/.test(value) && own.startsWith(value)) ||
              (/^\d{4}-W?\d\d$/.test(value) && /^\d{4}-\d\d-\d\d$/.test(own)),
          ),
        ),
    );
    if (at < 0) return false;
    free.splice(at, 1);
  }
  return true;
}
