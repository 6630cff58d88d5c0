/** Tests that a statement which was escaped or typeset is repaired, and that any other stays as it is. */
import { expect, test } from 'vitest';
import { repairedSql } from './sql-text.ts';

test.each([
  ['select 1 where a &lt;= 2', 'select 1 where a <= 2'],
  ['select 1 where a = &#39;x&#39;', "select 1 where a = 'x'"],
  ["select 1 where a = 'x &amp; y' and b &gt; 1", "select 1 where a = 'x & y' and b > 1"],
  ['select 1 where a = ‘x’', "select 1 where a = 'x'"],
  ['select a\\nfrom b', 'select a from b'],
  ['SQL: select a', 'select a'],
  ['sqlite> select a', 'select a'],
])('%s', (written, repaired) => expect(repairedSql(written)).toBe(repaired));

test.each([
  "select 1 where a = '&lt;' and b = '“x”' and c like '%\\n%'",
  `select "a&amp;b", '’' from "c\\td"`,
  'select a & b from c where d -> 1',
  "select 'it''s', a from b",
  'select a;; ',
  String.raw`select 'it\'s \n “x”' from b`,
])('%s stays', (sql) => expect(repairedSql(sql)).toBe(sql));
