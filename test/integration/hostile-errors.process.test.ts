/**
 * Errors as a way to read: a condition that fails on some rows only tells of them, in its text or by failing at all.
 * Rows of others must never meet a condition of the statement, on any engine, whichever index it uses.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAccounts } from '../fixtures/road/accounts.ts';
import { eachOf, openRoad, type Road } from '../fixtures/road/road.ts';
import { findMariaDb, INSTALL_MARIADB } from '../harness/mariadb.ts';
import { suiteNeeding } from '../harness/require.ts';

const MINE = 100;

/** Each is true for all rows of the tenant, and fails for some of another. */
const conditions: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    'CAST(secret AS int) > 0',
    "secret > '0' AND secret::int >= 0",
    '1 / (n - 777) <= 1',
    'n > 0 AND 1 / (n - 777) <= 1',
    "CASE WHEN secret LIKE 'C%' THEN 1 / (n - n) ELSE 1 END = 1",
    "n * CASE WHEN secret LIKE 'C%' THEN 2147483647 ELSE 1 END > 0",
    "NOT 'x' ~ pattern",
    "NOT 'x' LIKE pattern OR n > 0",
    "(doc::jsonb ->> 'n')::int > 0",
    "CAST(moment AS date) > DATE '2000-01-01'",
    "moment::timestamp + interval '1 day' > '2000-01-01'",
    "n < CASE WHEN secret LIKE 'C%' THEN (SELECT x.n FROM accounts x, accounts y LIMIT 2) ELSE 1000 END",
    "coalesce(nullif(secret, '')::int, 0) > 0",
    'EXISTS (SELECT 1 FROM accounts b WHERE b.id = a.id AND 1 / (b.n - 777) <= 1)',
    'a.id IN (SELECT b.id FROM accounts b WHERE b.secret::int > 0)',
  ],
  duckdb: [
    'CAST(secret AS int) > 0',
    "secret > '0' AND secret::int >= 0",
    "secret LIKE 'C%' AND n = CAST('abc' AS INTEGER) OR n > 0",
    'secret = n OR n > 0',
    "CASE WHEN secret LIKE 'C%' THEN CAST('x' AS int) ELSE 1 END = 1",
    "n * CASE WHEN secret LIKE 'C%' THEN 2147483647 ELSE 1 END > 0",
    "NOT regexp_matches('x', pattern)",
    "json_extract(doc, '$.n') > 0",
    "CAST(moment AS date) > DATE '2000-01-01'",
    "strptime(moment, '%Y-%m-%d') > TIMESTAMP '2000-01-01'",
    'EXISTS (SELECT 1 FROM accounts b WHERE b.id = a.id AND b.secret::int > 0)',
  ],
  mysql: [
    "secret BETWEEN '0' AND 'D' AND n * if(secret LIKE 'C%', 9223372036854775807, 1) > 0",
    "secret BETWEEN '0' AND 'D' AND exp(if(secret LIKE 'C%', 10000, 1)) > 0",
    "secret BETWEEN '0' AND 'D' AND ~0 - 2000 + if(secret LIKE 'C%', 3000, 1) > 0",
    "secret BETWEEN '0' AND 'D' AND NOT 'x' REGEXP if(secret LIKE 'C%', concat(secret, '('), 'y')",
    "n < CASE WHEN secret LIKE 'C%' THEN (SELECT x.n FROM accounts x, accounts y LIMIT 2) ELSE 1000 END",
    "secret BETWEEN '0' AND 'D' AND cast(concat(if(secret LIKE 'C%', '9', '1'), '9223372036854775807') AS unsigned) * if(secret LIKE 'C%', 20, 0) >= 0",
  ],
  sqlite: [
    "secret BETWEEN '0' AND 'D' AND abs(CASE WHEN secret LIKE 'C%' THEN -9223372036854775808 ELSE 1 END) = 1",
    'json(doc) IS NOT NULL',
    "doc < '~' AND json_extract(doc, '$.n') > 0",
    "doc < '~' AND doc ->> '$.n' > 0",
    "secret BETWEEN '0' AND 'D' AND json_extract('{}', '$.' || CASE WHEN secret LIKE 'C%' THEN '[' || secret ELSE 'x' END) IS NULL",
    "secret BETWEEN '0' AND 'D' AND (json_extract('{}', CASE WHEN secret LIKE 'C%' THEN secret ELSE '$' END)) IS NOT NULL",
    "secret BETWEEN '0' AND 'D' AND 'x' NOT LIKE 'y' ESCAPE CASE WHEN secret LIKE 'C%' THEN secret ELSE '!' END",
    "EXISTS (SELECT 1 FROM accounts b WHERE b.id = a.id AND b.doc < '~' AND json(b.doc) IS NOT NULL)",
  ],
};

/** Each fails at a row that it meets, hidden or not, or at one whose values are texts of the other tenant. */
const traps: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    'ARRAY[ARRAY[a.id], ARRAY[a.id, a.id]] IS NULL',
    "ARRAY[labels, ARRAY['a', 'b']] IS NULL",
    'CASE WHEN n > 0 THEN ARRAY[ARRAY[n], ARRAY[n, n]] IS NULL ELSE TRUE END',
    'a <> a',
    'a < a',
    'a IS DISTINCT FROM a',
    'a IS NOT DISTINCT FROM a',
    'greatest(a, a) IS NULL',
    'least(a, a) IS NOT NULL',
    'a BETWEEN a AND a',
    'a = ANY (ARRAY[a])',
    'ARRAY[a] < ARRAY[a]',
    'a IN (a, a)',
    'ROW(a, 1) < ROW(a, 2)',
    'CASE a WHEN a THEN TRUE ELSE TRUE END',
    'nullif(a, a) IS NULL',
    'a IS DISTINCT FROM (SELECT b FROM accounts b LIMIT 1)',
    "docs = '{}'",
    'docs IS DISTINCT FROM docs',
    'ARRAY[spot] < ARRAY[spot]',
    'shown = secret',
    'shown BETWEEN secret AND pattern',
    'EXISTS (SELECT 1 FROM (SELECT b AS r FROM accounts b WHERE b.id = a.id) x WHERE r < r)',
  ],
  duckdb: [
    'flag',
    'NOT flag',
    'flag IS TRUE',
    'flag IS NOT TRUE',
    'moment IS DISTINCT FROM CURRENT_DATE',
    'moment IS NOT DISTINCT FROM CURRENT_DATE',
    'flag IS DISTINCT FROM TRUE',
    'CASE n WHEN secret THEN TRUE ELSE TRUE END',
    'CASE WHEN flag THEN TRUE ELSE TRUE END',
    'EXISTS (SELECT 1 WHERE flag)',
  ],
  mysql: [],
  sqlite: [
    "max(json_extract(secret, '$'), 0) IS NOT NULL",
    "min(0, json_extract(secret, '$'), 1) IS NOT NULL",
    'CASE WHEN max(json(doc), 0) IS NULL THEN 1 ELSE 1 END',
    'EXISTS (SELECT 1 FROM accounts b WHERE b.id = a.id AND max(json(b.doc), 0) IS NOT NULL)',
  ],
};

/** A row of another tenant, and one that is not there, found by an index and without. */
const rows = [
  ["secret = 'CANARY7'", "secret = 'NOBODY'"],
  ['a.id = 7', 'a.id = 70007'],
  ["doc >= 'CANARY7' AND doc < 'CANARY70'", "doc >= 'NOBODY' AND doc < 'NOBODYZ'"],
] as const;

/** Where a condition may stand. */
const places = [
  'SELECT count(*) AS n FROM accounts a WHERE §',
  'SELECT count(*) AS n FROM (SELECT * FROM accounts) a WHERE §',
  'SELECT count(*) AS n FROM (SELECT 1 AS one) o JOIN accounts a ON §',
  'WITH a AS (SELECT * FROM accounts) SELECT count(*) AS n FROM a WHERE §',
  'SELECT count(*) AS n FROM (SELECT CASE WHEN § THEN 1 ELSE 0 END AS ok FROM accounts a) x WHERE ok = 1',
];

const engines = [
  { name: 'sqlite', suite: describe },
  { name: 'duckdb', suite: describe },
  { name: 'postgres', suite: describe },
  { name: 'mysql', suite: suiteNeeding('mysql', findMariaDb() !== undefined, INSTALL_MARIADB) },
] as const;

for (const { name, suite } of engines) {
  suite(name, () => {
    const open = new AsyncDisposableStack();
    const roads: Record<string, Road> = {};
    beforeAll(async () => {
      const { url, layer } = open.use(await openAccounts(name));
      const policy = true;
      roads['one value'] = open.use(await openRoad({ url, layer, policy }));
      roads['a list'] = open.use(await openRoad({ url, layer, policy, tenant: [1, 11, 12, 13, 14, 15, 16] }));
    }, 60_000);
    afterAll(() => open.disposeAsync());

    describe.each(['one value', 'a list'])('a claim of %s', (claim) => {
      test.each(conditions[name] ?? [])('%s', async (condition) => {
        await eachOf(places, 4, async (place) => {
          const answer = await roads[claim]!.ask(place.replace('§', () => condition));
          expect(answer.data[0]?.rows, `${place}: ${answer.body} ${answer.result}`).toEqual([{ n: MINE }]);
          expect(answer.body + answer.prompt).not.toContain('CANARY');
        });
      });

      test.each(traps[name] ?? [])('says as much of a row as of none: %s', async (trap) => {
        await eachOf(rows, 3, async ([hidden, missing]) => {
          const ask = (row: string) =>
            roads[claim]!.ask(`SELECT count(*) AS n FROM accounts a WHERE ${row} AND ${trap}`);
          const [one, other] = [await ask(hidden), await ask(missing)];
          const shown = ({ data }: typeof one) => data.map(({ columns, rows }) => ({ columns, rows }));
          expect(shown(one), `${hidden}: ${one.body} ${one.result}`).toEqual(shown(other));
          expect(one.settled.map(({ status }) => status)).toEqual(other.settled.map(({ status }) => status));
        });
      });
    });
  });
}
