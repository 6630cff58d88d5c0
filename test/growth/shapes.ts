/** Makes long texts of the kinds that cost a careless reader more than they should. */

/** A text of about `length` characters. */
export type Shape = (length: number) => string;

const repeated =
  (piece: string, before = '', after = ''): Shape =>
  (length) =>
    before + piece.repeat(Math.max(1, Math.floor((length - before.length - after.length) / piece.length))) + after;

/** `before`, then pieces numbered from 0 with `between`, then `after`. */
export const listed =
  (piece: (n: number) => string, between: string, before = '', after = ''): Shape =>
  (length) => {
    const pieces: string[] = [];
    let rest = length - before.length - after.length;
    for (let n = 0; rest > 0; n += 1) {
      const next = piece(n);
      rest -= next.length + between.length;
      pieces.push(next);
    }
    return before + pieces.join(between) + after;
  };

const nested =
  (open: string, close: string, inner = '1', before = '', after = ''): Shape =>
  (length) => {
    const depth = Math.max(1, Math.floor((length - inner.length) / (open.length + close.length)));
    return before + open.repeat(depth) + inner + close.repeat(depth) + after;
  };

/** Texts that any input may be given. */
export const anyText: Readonly<Record<string, Shape>> = {
  'single letters': repeated('a '),
  'different letters': listed((n) => String.fromCharCode(97 + (n % 26)), ' '),
  'one long word': repeated('a'),
  'one word again and again': repeated('orders '),
  'two words in turn': repeated('orders by '),
  'different words': listed((n) => `w${n.toString(36)}`, ' '),
  'long words': listed((n) => `${n}${'ab'.repeat(100)}`, ' '),
  digits: repeated('7'),
  numbers: listed(String, ' '),
  'numbers with commas': listed((n) => String(n % 1000), ','),
  dates: repeated('2024-01-01 '),
  semicolons: repeated(';'),
  spaces: repeated(' ', 'a', 'b'),
  'line breaks': repeated('\n', 'a', 'b'),
  'empty lines': repeated('a\n\n'),
  commas: repeated(','),
  'words and commas': repeated('paid, '),
  'words and "and"': repeated('paid and '),
  'words and "or"': repeated('paid or '),
  'words and "not"': repeated('not paid '),
  quotes: repeated("'"),
  'double quotes': repeated('"'),
  'quotes of both kinds': repeated(`' "`),
  backquotes: repeated('`'),
  'one quote in front': repeated('a ', "'"),
  'one double quote in front': repeated('a ', '"'),
  'quoted words': repeated('"a" '),
  apostrophes: repeated("it's "),
  backslashes: repeated('\\'),
  parentheses: repeated('('),
  'closed parentheses': nested('(', ')'),
  brackets: repeated('['),
  braces: repeated('{"a":'),
  comments: repeated('/* '),
  'closed comments': repeated('/**/'),
  'line comments': repeated('-- a\n'),
  dashes: repeated('-'),
  dots: repeated('a.'),
  slashes: repeated('/'),
  percents: repeated('%'),
  equals: repeated('a=b '),
  signs: repeated('<>='),
  dollars: repeated('$'),
  'combining marks': repeated('\u0301', 'e'),
  'letters with marks': repeated('e\u0301 '),
  'wide letters': repeated('ﷺ'),
  emoji: repeated('👩‍👩‍👧 '),
  surrogates: repeated('\ud83d'),
  'zero-width': repeated('\u200b'),
  NUL: repeated('\0'),
  URLs: repeated('a://b:c@d '),
  'at signs': repeated('@'),
};

/** Numbers as a database writes them. */
export const numbers: Readonly<Record<string, Shape>> = {
  digits: repeated('7'),
  zeros: repeated('0', '1', '1'),
  'zeros after the point': repeated('0', '0.', '1'),
  'zeros at the end': repeated('0', '0.1'),
  'a negative number': repeated('9', '-0.'),
};

const over = (piece: (n: number) => string, between: string, before: string, after = ''): Shape =>
  listed(piece, between, before, after);

/** Statements that use one part of the language to excess. */
export const statements: Readonly<Record<string, Shape>> = {
  'a list of numbers': over(String, ', ', 'SELECT id FROM orders WHERE id IN (', ')'),
  'a list of texts': over((n) => `'v${n}'`, ', ', 'SELECT id FROM orders WHERE status IN (', ')'),
  'a list of nulls': over(() => 'NULL', ', ', 'SELECT id FROM orders WHERE id IN (', ')'),
  'rows of values': over((n) => `(${n}, 'x')`, ', ', 'SELECT * FROM (VALUES ', ') AS t'),
  'AND chain': over((n) => `id <> ${n}`, ' AND ', 'SELECT id FROM orders WHERE '),
  'OR chain': over((n) => `status = 's${n}'`, ' OR ', 'SELECT id FROM orders WHERE '),
  'AND and OR in turn': over((n) => `id = ${n} AND status = 'a'`, ' OR ', 'SELECT id FROM orders WHERE '),
  sums: over((n) => `id + ${n}`, ' + ', 'SELECT ', ' FROM orders'),
  concatenation: over(() => 'status', ' || ', 'SELECT ', ' FROM orders'),
  'many columns': over((n) => `id AS c${n}`, ', ', 'SELECT ', ' FROM orders'),
  'many qualified columns': over(() => 'o.id', ', ', 'SELECT ', ' FROM orders AS o'),
  'many stars': over(() => '*', ', ', 'SELECT ', ' FROM orders'),
  'many calls': over(() => 'lower(status)', ', ', 'SELECT ', ' FROM orders'),
  'nested calls': nested('lower(', ')', 'status', 'SELECT ', ' FROM orders'),
  'many arguments': over(() => 'status', ', ', 'SELECT coalesce(', ') FROM orders'),
  unions: over((n) => `SELECT ${n} AS x`, ' UNION ALL ', ''),
  'unions of tables': over(() => 'SELECT id FROM orders', ' UNION ALL ', ''),
  'common tables': (length) => {
    const step = (n: number) => `c${n} AS (SELECT id FROM ${n === 0 ? 'orders' : `c${n - 1}`})`;
    const tables = listed(step, ', ')(length - 40);
    return `WITH ${tables} SELECT * FROM c0`;
  },
  'nested common tables': nested('WITH a AS (', ') SELECT 1', 'SELECT 1'),
  'recursive common tables': (length) => {
    const step = (n: number) => `c${n} AS (SELECT id FROM ${n === 0 ? 'orders' : 'c0'})`;
    return `WITH RECURSIVE ${listed(step, ', ')(length - 40)} SELECT * FROM c0`;
  },
  'independent common tables': over((n) => `c${n} AS (SELECT 1 AS a)`, ', ', 'WITH ', ' SELECT * FROM c0'),
  joins: over((n) => `JOIN orders AS o${n} ON o${n}.id = a.id`, ' ', 'SELECT a.id FROM orders AS a '),
  'joins and columns': repeated('status, ', 'SELECT ', `id FROM orders${', orders AS o'.repeat(127)}`),
  'joins and different columns': over((n) => `c${n}`, ', ', 'SELECT ', ` FROM orders${', orders AS o'.repeat(127)}`),
  'joins and qualified columns': repeated('o.status, ', 'SELECT ', `id FROM orders AS o${', customers'.repeat(127)}`),
  'joins and stars': repeated('*, ', 'SELECT ', `id FROM orders${', orders'.repeat(127)}`),
  'unions of tables with aliases': listed((n) => `SELECT o${n}.id FROM orders AS o${n}`, ' UNION ALL '),
  'names from further out': (length) => {
    const inner = nested(
      'EXISTS (SELECT 1 FROM customers AS c WHERE ',
      ')',
      listed(() => 'status = total', ' AND ')(length / 2),
    );
    return `SELECT id FROM orders WHERE ${inner(length)}`;
  },
  'values of PIVOT': over(String, ', ', 'PIVOT orders ON id IN (', ')'),
  'columns of PIVOT': over((n) => `id + ${n} IN (1, 2)`, ', ', 'PIVOT orders ON '),
  'columns of UNPIVOT': over((n) => `c${n}`, ', ', 'UNPIVOT orders ON ', ' INTO NAME n VALUE v'),
  'comma joins': over((n) => `orders AS o${n}`, ', ', 'SELECT 1 FROM '),
  'joins using': over((n) => `JOIN orders AS o${n} USING (id)`, ' ', 'SELECT id FROM orders '),
  'CASE branches': over((n) => `WHEN ${n} THEN 'x'`, ' ', 'SELECT CASE id ', ' END FROM orders'),
  'nested CASE': nested('CASE WHEN id = 1 THEN 2 ELSE ', ' END', '3', 'SELECT ', ' FROM orders'),
  'nested subqueries': nested('(SELECT ', ')', '1', 'SELECT '),
  'subqueries of tables': nested('(SELECT id FROM ', ' AS s)', 'orders', 'SELECT * FROM ', ' AS t'),
  'subqueries side by side': over(() => '(SELECT max(id) FROM orders)', ', ', 'SELECT '),
  'EXISTS chain': over(
    () => 'EXISTS (SELECT 1 FROM orders AS i WHERE i.id = o.id)',
    ' AND ',
    'SELECT id FROM orders AS o WHERE ',
  ),
  'nested IN': nested('id IN (SELECT id FROM orders WHERE ', ')', 'id = 1', 'SELECT id FROM orders WHERE '),
  NOT: over(() => 'NOT', ' ', 'SELECT id FROM orders WHERE ', ' TRUE'),
  'signs before': repeated('- ', 'SELECT ', '1'),
  'ORDER BY': over((n) => `id + ${n}`, ', ', 'SELECT id FROM orders ORDER BY '),
  'GROUP BY': over((n) => `id + ${n}`, ', ', 'SELECT count(*) FROM orders GROUP BY '),
  windows: over((n) => `w${n} AS (ORDER BY id)`, ', ', 'SELECT id, row_number() OVER w0 FROM orders WINDOW '),
  OVER: over(() => 'sum(id) OVER (PARTITION BY status ORDER BY id)', ', ', 'SELECT ', ' FROM orders'),
  'BETWEEN chain': over((n) => `id BETWEEN ${n} AND ${n + 9}`, ' AND ', 'SELECT id FROM orders WHERE '),
  'LIKE chain': over((n) => `status LIKE '%${n}%'`, ' OR ', 'SELECT id FROM orders WHERE '),
  'IS NULL chain': repeated(' IS NULL', 'SELECT id'),
  'COLLATE chain': repeated(' COLLATE NOCASE', 'SELECT status', ' FROM orders'),
  'a long text': repeated('a', "SELECT '", "'"),
  'a long text of quotes': repeated("''", "SELECT '", "'"),
  'an open text': repeated('a', "SELECT '"),
  'a long alias': repeated('a', 'SELECT 1 AS '),
  'a long quoted alias': repeated('""', 'SELECT 1 AS "', 'a"'),
  'a long column name': repeated('a', 'SELECT ', ' FROM orders'),
  'a long table name': repeated('a', 'SELECT * FROM '),
  'a long function name': repeated('a', 'SELECT ', '(1)'),
  'a long qualified name': repeated('a.', 'SELECT ', 'b FROM orders'),
  'a long number': repeated('7', 'SELECT '),
  'a comment at each word': repeated('/* c */ id, ', 'SELECT ', '1 FROM orders'),
  'unknown words': repeated('x ', 'SELECT id FROM orders WHERE '),
  statements: repeated('SELECT 1; '),
  'dollar quotes': over((n) => `$t${n}$`, ' ', 'SELECT '),
  'nested comments': nested('/*', '*/', ' ', 'SELECT 1 '),
  'open parentheses': repeated('(', 'SELECT '),
  'open subqueries': repeated('(SELECT ', 'SELECT '),
  casts: repeated('::text', 'SELECT id', ' FROM orders'),
  subscripts: repeated('[1]', 'SELECT id', ' FROM orders'),
  fields: repeated('.a', 'SELECT orders.id', ' FROM orders'),
  lists: nested('[', ']', '1', 'SELECT '),
  structs: nested("{'a': ", '}', '1', 'SELECT '),
  'rows in parentheses': over((n) => `(id, status) = (${n}, 'x')`, ' AND ', 'SELECT id FROM orders WHERE '),
  'JSON operators': repeated(" -> 'a'", 'SELECT status', ' FROM orders'),
};
