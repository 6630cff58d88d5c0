/** Tests that a statement which was escaped or typeset is repaired, and that any other stays as it is. */
import { describe, expect, test } from 'vitest';
import { kitDialects } from '../../sql-kit/index.ts';
import { repairedSql } from './sql-text.ts';

const dialects = [...(await kitDialects()).values()].map(({ name, notation }) => ({ name, notation }));

describe.each(dialects)('$name', ({ name, notation }) => {
  const backslash = notation.escapes === 'always' ? '\\\\' : '\\';
  test.each([
    ['select 1 where a &lt;= 2', 'select 1 where a <= 2'],
    ['select 1 where a = &#39;x&#39;', "select 1 where a = 'x'"],
    ["select 1 where a = 'x &amp; y' and b &gt; 1", "select 1 where a = 'x & y' and b > 1"],
    ['select 1 where a = ‘x’', "select 1 where a = 'x'"],
    ["select 'it''s “so”' where a = ‘x’", "select 'it''s “so”' where a = 'x'"],
    ["select a -- it's\n where b = ‘x’", "select a -- it's\n where b = 'x'"],
    ["select a /* it's */ where b = ‘x’ and c = 'C:\\temp'", "select a /* it's */ where b = 'x' and c = 'C:\\temp'"],
    ['select a\\nfrom b', 'select a from b'],
    ['SQL: select a', 'select a'],
    ['sqlite> select a', 'select a'],
  ])('%s', (written, repaired) => expect(repairedSql(written, notation)).toBe(repaired));

  test.each([
    "select 1 where a = '&lt;' and b = '“x”' and c like '%\\n%'",
    `select "a&amp;b", '’' from "c\\td"`,
    'select a & b from c where d -> 1',
    "select 'it''s', a from b -- “it's”",
    "select a /* ‘ */, 'b' from c",
    'select a;; ',
    `select 'C:${backslash}' as a, 'temp\\new' as b`,
  ])('%s stays', (sql) => expect(repairedSql(sql, notation)).toBe(sql));

  const own: Readonly<Record<string, readonly string[]>> = {
    postgres: ["select $$it's “so”$$ as a, E'tab\\t it\\'s ‘x’' as b", "select $q$ $$ ' \\n $q$ as a, 'b'"],
    duckdb: ["select $$it's “so”$$ as a, E'tab\\t it\\'s ‘x’' as b"],
    mysql: ["select 'it\\'s \\n “x”' from b # it's ‘that’", 'select "it\\"s \\n “x”" from b'],
    clickhouse: ["select 'it\\'s “x”' as a, $$it's$$ as b from c # it's ‘that’"],
    snowflake: ["select 'it\\'s “x”' as a, $$it's$$ as b from c // it's ‘that’"],
    trino: [`select 'it''s \\\\ “x”' as a, U&'\\\\0041' as b from "it's"`],
    bigquery: [`select '''it's "so" “x” \\n''' as a, "it\\"s" as b, r'\\d' as c from d # it's ‘that’`],
    sqlite: ["select [it's “so”] from a", 'select `it\\ns` from a'],
  };
  test.each(own[name] ?? [])('%s stays too', (sql) => expect(repairedSql(sql, notation)).toBe(sql));
});
