/** Finds the rule that holds a statement back. */
import { fits } from './pattern.ts';
import type { Rule } from './schemas.ts';

/** A table or view that a statement reads. */
export interface ReadTable {
  /** As people may write it: with and without its schema. */
  readonly names: readonly string[];
  /** Names of the columns that may be read; `*` for all. */
  readonly columns: readonly string[];
}

/** What a statement reads. `undefined` tables: not known. */
export interface StatementReads {
  readonly connectionId: string;
  readonly tables: readonly ReadTable[] | undefined;
}

/** Why a statement needs approval, in words that follow "it". */
export interface Match {
  readonly rule: Rule;
  readonly reason: string;
}

/** The first rule but those about cost that holds the statement back. */
export function matchOf(rules: readonly Rule[], reads: StatementReads): Match | undefined {
  for (const rule of rules) {
    const reason = reasonOf(rule, reads);
    if (reason !== undefined) return { rule, reason };
  }
  return undefined;
}

function reasonOf({ ruleType, pattern }: Rule, { connectionId, tables }: StatementReads): string | undefined {
  if (pattern === null || ruleType === 'cost') return undefined;
  if (ruleType === 'datasource') {
    return fits(pattern, connectionId) ? `runs on the connection "${connectionId}"` : undefined;
  }
  if (tables === undefined) return 'reads a view of which it is not known what it reads';
  if (ruleType === 'table') {
    const table = tables.find(({ names }) => names.some((name) => fits(pattern, name)));
    return table && `reads the table "${table.names[0]}"`;
  }
  const dot = pattern.lastIndexOf('.');
  const ofTable = pattern.slice(0, dot);
  const ofColumn = pattern.slice(dot + 1);
  for (const { names, columns } of tables) {
    if (!names.some((name) => fits(ofTable, name))) continue;
    const column = columns.find((name) => name === '*' || fits(ofColumn, name));
    if (column !== undefined) {
      return column === '*' ? `reads all columns of "${names[0]}"` : `reads the column "${names[0]}.${column}"`;
    }
  }
  return undefined;
}

/** Whether one of the rules is about tables or columns. */
export const namesTables = (rules: readonly Rule[]): boolean =>
  rules.some(({ ruleType }) => ruleType === 'table' || ruleType === 'column');

/** The rules about cost that hold for the connection. */
export function costRules(rules: readonly Rule[], connectionId: string): readonly Rule[] {
  return rules.filter(
    ({ ruleType, pattern }) => ruleType === 'cost' && (pattern === null || fits(pattern, connectionId)),
  );
}

/** `rows`: the estimate; `undefined` where there is none. */
export function costMatch(rules: readonly Rule[], rows: number | undefined): Match | undefined {
  const [rule] = rules.filter(({ threshold }) => rows === undefined || rows > (threshold ?? 0));
  if (rule === undefined) return undefined;
  if (rows === undefined) return { rule, reason: 'reads a number of rows that the database does not estimate' };
  return { rule, reason: `reads about ${Math.ceil(rows)} rows by the database's estimate` };
}
