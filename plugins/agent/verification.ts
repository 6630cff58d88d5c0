/** Keeps which tables of a question come from a verified query, and labels an answer that rests on nothing else. */
import type { ToolTable } from '../../kernel/index.ts';
import type { Verification } from './api.ts';

const KEY = 'agent.verified';
/** By the id of the statement: a table that lost rows is another object. */
type Verified = Map<string | undefined, Verification>;
const idOf = ({ ran }: ToolTable) => ran?.statement.id;

/** Says of a table that a person vouches for its statement. A tool finds `memory` in its run. */
export function verify(memory: Map<string, unknown>, table: ToolTable, verification: Verification): void {
  const known = (memory.get(KEY) as Verified | undefined) ?? new Map();
  memory.set(KEY, known.set(idOf(table), verification));
}

/** That of the last table; `undefined` where any table has none: nobody vouches for what the answer makes of it. */
export function verificationOf(
  memory: ReadonlyMap<string, unknown>,
  tables: readonly ToolTable[],
): Verification | undefined {
  const known = memory.get(KEY) as Verified | undefined;
  if (known === undefined || !tables.every((table) => known.has(idOf(table)))) return undefined;
  return tables.map((table) => known.get(idOf(table))).at(-1);
}
