/** Reads the sources of Trino's FROM: tables of any catalog, UNNEST, TABLESAMPLE; and refuses what reads elsewhere. */
import { fold, schemaIn } from '../../ast/names.ts';
import type { Call, Source } from '../../ast/tree.ts';
import { parseArguments } from '../../parse/clauses.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseAlias } from '../../parse/from.ts';

/** Tables by name and UNNEST; `undefined`, with nothing consumed, for parentheses and LATERAL. */
export function source(cursor: Cursor): Source | undefined {
  const at = cursor.token.start;
  if (cursor.is('UNNEST')) return unnest(cursor, at);
  if (cursor.is('TABLE') || cursor.is('JSON_TABLE')) {
    const what = cursor.is('TABLE') ? 'TABLE(…) calls a table function' : 'JSON_TABLE is not read here';
    throw cursor.fail('function', what, 'Read tables of the semantic layer, and UNNEST for arrays and maps.');
  }
  if (!cursor.isName() || (cursor.is('LATERAL') && cursor.peekOperator('('))) return undefined;
  const parts = [cursor.name('a table')];
  while (cursor.acceptOperator('.')) parts.push(cursor.anyName('a table'));
  if (parts.length > 3)
    throw cursor.fail('table', `"${parts.join('.')}" is no table`, 'Write catalog.schema.table.', at);
  if (cursor.isOperator('(')) {
    throw cursor.fail('function', `Table function "${parts.join('.')}" is not allowed`, 'Allowed: UNNEST.', at);
  }
  if (cursor.is('FOR')) {
    const hint = 'Leave FOR … AS OF out: a table is read as it is now.';
    throw cursor.fail('syntax', 'Earlier versions of a table cannot be read', hint);
  }
  const name = parts.at(-1)!;
  return { kind: 'table', at, schema: schemaIn(parts, cursor.dialect), name, index: undefined, ...parseAlias(cursor) };
}

/** `UNNEST(a, b) WITH ORDINALITY AS name (columns)`, which sees the sources before it. */
function unnest(cursor: Cursor, at: number): Source {
  const name = fold(cursor.advance().value);
  const args = parseArguments(cursor);
  const plain = { star: false, distinct: false, orderBy: [], filter: undefined, over: undefined };
  const call: Call = { kind: 'call', at, name, args, ...plain };
  const ordinality = cursor.acceptWords('WITH', 'ORDINALITY');
  const calls = [{ call, definition: undefined }];
  const none = { lateral: false, isList: false, definition: undefined };
  return { kind: 'rows', at, calls, ordinality, ...none, ...parseAlias(cursor) };
}

/** `TABLESAMPLE BERNOULLI (10)` behind a table. */
export function changed(cursor: Cursor, whole: Source): Source {
  const at = cursor.token.start;
  if (cursor.is('MATCH_RECOGNIZE')) throw cursor.unexpected();
  if (!cursor.accept('TABLESAMPLE')) return whole;
  const method = ['BERNOULLI', 'SYSTEM'].find((word) => cursor.accept(word));
  if (method === undefined) throw cursor.unexpected('BERNOULLI or SYSTEM');
  cursor.expectOperator('(');
  const { kind, value } = cursor.token;
  if (kind !== 'number' || !(Number(value) <= 100)) throw cursor.unexpected('a percentage');
  cursor.advance();
  cursor.expectOperator(')');
  if (whole.kind === 'table') return { ...whole, sample: `TABLESAMPLE ${method} (${value})` };
  throw cursor.fail('syntax', 'TABLESAMPLE stands behind a table', 'Write it inside the subquery.', at);
}
