/** Reads the sources of Snowflake's FROM: tables of any database, FLATTEN, SAMPLE; and refuses what reads elsewhere. */
import type { Call, Source } from '../../ast/tree.ts';
import { parseArguments } from '../../parse/clauses.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseAlias } from '../../parse/from.ts';

/** Functions whose rows may be read: they see their arguments alone. */
export const ROW_FUNCTIONS = ['FLATTEN', 'SPLIT_TO_TABLE', 'STRTOK_SPLIT_TO_TABLE'];
const HINT = 'Read tables of the semantic layer, and LATERAL FLATTEN(INPUT => column) for lists and objects.';
const NOTHING = { star: false, distinct: false, orderBy: [], filter: undefined, over: undefined };

/** Tables by name and functions; `undefined`, with nothing consumed, for parentheses, VALUES and LATERAL before a subquery. */
export function source(cursor: Cursor): Source | undefined {
  const at = cursor.token.start;
  if (cursor.accept('TABLE')) {
    cursor.expectOperator('(');
    const call: Call = { kind: 'call', at, name: 'TABLE', isWord: true, args: [rowFunction(cursor)], ...NOTHING };
    cursor.expectOperator(')');
    return rows(cursor, at, call, false);
  }
  if (cursor.is('LATERAL') && !cursor.peekOperator('(')) {
    cursor.advance();
    return rows(cursor, at, rowFunction(cursor), true);
  }
  if (!cursor.isName()) return undefined;
  const parts = [cursor.name('a table')];
  while (cursor.acceptOperator('.')) parts.push(cursor.anyName('a table'));
  if (parts.length > 3 || parts.slice(0, -1).some((part) => part.includes('.')))
    throw cursor.fail('table', `"${parts.join('.')}" is no table`, 'Write database.schema.table.', at);
  refuseVersion(cursor);
  if (cursor.isOperator('(')) {
    throw cursor.fail('function', `Table function "${parts.join('.')}" is not allowed`, HINT, at);
  }
  const name = parts.at(-1)!;
  return { kind: 'table', at, schema: schemaOf(parts, cursor), name, index: undefined, ...parseAlias(cursor) };
}

/** `database.schema` for another database than the connection's. */
function schemaOf([first, second, third]: readonly string[], { dialect }: Cursor): string | undefined {
  if (second === undefined) return undefined;
  if (third === undefined) return first;
  return first === dialect.catalog ? second : `${first}.${second}`;
}

function rowFunction(cursor: Cursor): Call {
  const { value: name, start: at } = cursor.token;
  if (!ROW_FUNCTIONS.includes(name) || !cursor.peekOperator('(')) {
    throw cursor.fail('function', `Table function "${name}" is not allowed`, HINT, at);
  }
  cursor.advance();
  return { kind: 'call', at, name, args: parseArguments(cursor), ...NOTHING };
}

/** The rows of a function, which sees the sources before it. */
function rows(cursor: Cursor, at: number, call: Call, lateral: boolean): Source {
  const plain = { isList: false, ordinality: false, definition: undefined };
  return { kind: 'rows', at, calls: [{ call, definition: undefined }], lateral, ...plain, ...parseAlias(cursor) };
}

/** `AT (…)`, `BEFORE (…)` and `CHANGES (…)`. */
function refuseVersion(cursor: Cursor): void {
  const word = ['AT', 'BEFORE', 'CHANGES'].find((choice) => cursor.is(choice) && cursor.peekOperator('('));
  if (word === undefined) return;
  throw cursor.fail('syntax', 'Earlier versions of a table cannot be read', `Leave ${word} (…) out.`);
}

const UNREAD: Readonly<Record<string, string>> = {
  MATCH_RECOGNIZE: 'Use window functions.',
  PIVOT: "Write SUM(IFF(column = 'a', amount, NULL)) AS a for each value.",
  UNPIVOT: 'Write a SELECT for each column, with UNION ALL between them.',
};

/** `SAMPLE BERNOULLI (10) SEED (1)` behind a table. */
export function changed(cursor: Cursor, whole: Source): Source {
  const at = cursor.token.start;
  refuseVersion(cursor);
  const hint = UNREAD[cursor.token.keyword];
  if (hint !== undefined) throw cursor.fail('syntax', `${cursor.token.keyword} is not read here`, hint);
  if (!cursor.accept('SAMPLE') && !cursor.accept('TABLESAMPLE')) return whole;
  const method = ['BERNOULLI', 'ROW', 'SYSTEM', 'BLOCK'].find((word) => cursor.accept(word));
  let sample = `SAMPLE ${method === undefined ? '' : `${method} `}(${inParentheses(cursor, /^\d{1,3}(?:\.\d{1,9})?$/, 'a percentage', 100)})`;
  if (cursor.accept('SEED') || cursor.accept('REPEATABLE')) {
    sample += ` SEED (${inParentheses(cursor, /^\d{1,9}$/, 'a number', 1e9)})`;
  }
  if (whole.kind === 'table') return { ...whole, sample };
  throw cursor.fail('syntax', 'SAMPLE stands behind a table', 'Write it inside the subquery.', at);
}

/** A number of rows would be one of all that there are, hidden ones included. */
function inParentheses(cursor: Cursor, form: RegExp, wanted: string, most: number): string {
  cursor.expectOperator('(');
  const { value } = cursor.token;
  if (!form.test(value) || Number(value) > most) throw cursor.unexpected(wanted);
  cursor.advance();
  if (!cursor.isOperator(')')) throw cursor.unexpected('")", as only a share of the rows can be read');
  cursor.advance();
  return value;
}
