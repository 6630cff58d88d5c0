/** Computes a digest of the rows of an answer, by which a later run tells whether they have changed. */
import { createHash } from 'node:crypto';
import type { Notation, Part } from '../sql-kit/index.ts';
import { partAt, standardNotation } from '../sql-kit/index.ts';

export interface ComparedTable {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated: boolean;
  /** How its dialect writes texts and names; default: as PostgreSQL does. */
  readonly notation?: Notation | undefined;
}

/** A difference of more than 1e-9 of a number is one of ten significant digits. */
const DIGITS = 10;

/** Sums of fractions differ in their last digits from run to run. */
const canonical = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;

/** Whether the statement itself, not a part in parentheses, has an `ORDER BY`. */
function isOrdered(sql: string, notation: Notation = standardNotation): boolean {
  let depth = 0;
  let part: Part;
  for (let at = 0; at < sql.length; at = part.end) {
    part = partAt(sql, at, notation);
    const text = sql.slice(at, part.end);
    if (part.kind === 'sign') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    else if (depth === 0 && part.kind === 'word' && text.toUpperCase() === 'ORDER') return true;
  }
  return false;
}

function digestOfTable({ sql, columns, rows, truncated, notation }: ComparedTable): string {
  const lines = rows.map((row) =>
    JSON.stringify(
      columns.map((column) => row[column] ?? null),
      canonical,
    ),
  );
  if (!isOrdered(sql, notation)) lines.sort();
  const hash = createHash('sha256').update(JSON.stringify([columns, truncated]));
  for (const line of lines) hash.update('\n').update(line);
  return hash.digest('hex');
}

/** The same for the same columns and rows; which statements found them, and which came first, does not matter. */
export function resultDigest(tables: readonly ComparedTable[]): string {
  const digests = new Set(tables.map(digestOfTable));
  return createHash('sha256')
    .update([...digests].sort().join())
    .digest('hex');
}
