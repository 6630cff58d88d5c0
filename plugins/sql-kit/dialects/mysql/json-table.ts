/** `JSON_TABLE(json, 'path' COLUMNS (…)) AS name`: the rows and columns that are found in a document. */
import { form } from '../../ast/forms.ts';
import type { Expr, RowsSource } from '../../ast/tree.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseDigits } from '../../parse/shared-syntax.ts';

const TYPES = new Set(
  `TINYINT SMALLINT MEDIUMINT INT INTEGER BIGINT DECIMAL NUMERIC FLOAT DOUBLE CHAR VARCHAR TINYTEXT TEXT MEDIUMTEXT
  LONGTEXT DATE DATETIME TIME TIMESTAMP YEAR BOOLEAN JSON`.split(/\s+/),
);

/** `undefined`, with nothing consumed, for all other sources. */
export function parseJsonTable(cursor: Cursor): RowsSource | undefined {
  const at = cursor.token.start;
  if (!cursor.is('JSON_TABLE') || !cursor.peekOperator('(')) return undefined;
  cursor.advance();
  cursor.advance();
  const document = cursor.expression();
  cursor.expectOperator(',');
  const tail = form(at, ', ', parseText(cursor), ...parseColumns(cursor));
  cursor.expectOperator(')');
  const call = { kind: 'call', at, name: 'json_table', isWord: true, args: [document], tail } as const;
  const plain = { star: false, distinct: false, orderBy: [], filter: undefined, over: undefined };
  const alias = cursor.alias();
  if (alias === undefined) throw cursor.unexpected('a name for what JSON_TABLE makes');
  const calls = [{ call: { ...call, ...plain }, definition: undefined }];
  return { kind: 'rows', at, calls, lateral: false, isList: false, ordinality: false, alias, definition: undefined };
}

type Parts = readonly (string | Expr)[];

function parseColumns(cursor: Cursor): Parts {
  cursor.expect('COLUMNS');
  cursor.expectOperator('(');
  const columns = cursor.list(() => cursor.nested(() => parseColumn(cursor)));
  cursor.expectOperator(')');
  return [' COLUMNS (', ...columns.flatMap((column, index) => (index === 0 ? column : [', ', ...column])), ')'];
}

function parseColumn(cursor: Cursor): Parts {
  if (cursor.accept('NESTED')) {
    cursor.accept('PATH');
    return ['NESTED PATH ', parseText(cursor), ...parseColumns(cursor)];
  }
  const name = `\`${cursor.name('a column').replaceAll('`', '``')}\``;
  if (cursor.acceptWords('FOR', 'ORDINALITY')) return [`${name} FOR ORDINALITY`];
  const type = parseType(cursor);
  if (cursor.accept('EXISTS')) {
    cursor.expect('PATH');
    return [`${name} ${type} EXISTS PATH `, parseText(cursor)];
  }
  cursor.expect('PATH');
  const path = parseText(cursor);
  return [`${name} ${type} PATH `, path, ...parseOtherwise(cursor, 'EMPTY'), ...parseOtherwise(cursor, 'ERROR')];
}

function parseType(cursor: Cursor): string {
  const type = cursor.token.kind === 'word' ? cursor.token.value.toUpperCase() : '';
  if (!TYPES.has(type)) throw cursor.unexpected('a type such as INT, VARCHAR(100), DECIMAL(10, 2) or DATE');
  cursor.advance();
  let text = type;
  if (cursor.acceptOperator('(')) {
    text += `(${cursor.list(() => parseDigits(cursor, 5)).join(', ')})`;
    cursor.expectOperator(')');
  }
  return cursor.accept('UNSIGNED') ? `${text} UNSIGNED` : text;
}

/** `NULL ON EMPTY`, `ERROR ON ERROR`, `DEFAULT '0' ON EMPTY`; nothing where it is not said. */
function parseOtherwise(cursor: Cursor, event: string): Parts {
  const isValue = cursor.is('DEFAULT');
  // NULL and ERROR stand two words before what they are about.
  if (!isValue && !(cursor.is('NULL') || cursor.is('ERROR'))) return [];
  if (cursor.peek(isValue ? 3 : 2).keyword !== event) return [];
  const { keyword } = cursor.advance();
  const value = isValue ? [' ', parseText(cursor)] : [];
  cursor.expect('ON');
  cursor.expect(event);
  return [` ${keyword}`, ...value, ` ON ${event}`];
}

function parseText(cursor: Cursor): Expr {
  const { kind, start: at, value } = cursor.token;
  if (kind !== 'string') throw cursor.unexpected('a text');
  cursor.advance();
  return { kind: 'string', at, value };
}
