import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Club } from '../../../test/fixtures/sql/postgres-club.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { postgres } from '../../sql-kit/index.ts';
import { allowedTables } from '../layer-tables.ts';

let client: Client;
let club: Club;
let stop: () => Promise<void>;
beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  club = await Club.create(client);
  await postgres.load?.();
}, 60_000);
afterAll(async () => {
  await client.end();
  await stop();
});

const BOOKED = 'members m JOIN bookings b ON b.member = m.id';

/** Statements that the engine reads where the tables have their keys. */
const groupsByKey = [
  `select firstname, count(*) from ${BOOKED} group by m.id`,
  `SELECT m.firstname, surname, count(*) FROM ${BOOKED} GROUP BY m.id ORDER BY zipcode, m.firstname`,
  `SELECT firstname || ' ' || surname AS name, count(*) AS c FROM ${BOOKED} GROUP BY m.id HAVING firstname <> 'First1'`,
  `SELECT upper(firstname), CASE WHEN zipcode > 1001 THEN 'x' ELSE surname END, sum(slots) FROM ${BOOKED} GROUP BY m.id`,
  `SELECT DISTINCT firstname, count(*) FROM ${BOOKED} GROUP BY m.id`,
  `SELECT DISTINCT ON (surname) firstname, surname, count(*) FROM ${BOOKED} GROUP BY m.id ORDER BY surname, m.id`,
  `SELECT m.id AS booker, firstname, count(*) FROM ${BOOKED} GROUP BY booker`,
  `SELECT firstname, m.id, count(*) FROM ${BOOKED} GROUP BY 2`,
  `SELECT firstname, count(*) FROM (${BOOKED}) GROUP BY m.id`,
  `SELECT firstname, extract(month FROM starts) AS month, sum(slots) FROM ${BOOKED} GROUP BY m.id, month`,
  `SELECT firstname, zipcode, sum(slots) FROM ${BOOKED} GROUP BY (m.id, zipcode)`,
  `SELECT firstname, sum(slots) FROM ${BOOKED} GROUP BY m.id, ROLLUP (extract(month FROM starts))`,
  `SELECT firstname, rank() OVER (ORDER BY count(*) DESC, surname), sum(zipcode) OVER () FROM ${BOOKED} GROUP BY m.id`,
  `SELECT firstname, notes ->> 'k', string_agg(slots::text, ',' ORDER BY slots) FROM ${BOOKED} GROUP BY m.id`,
  `SELECT row_to_json(m), count(*) FROM ${BOOKED} GROUP BY m.id`,
  `SELECT m.*, count(*) FROM ${BOOKED} GROUP BY m.id`,
  'SELECT firstname, (SELECT count(*) FROM bookings x WHERE x.member = m.id AND x.slots > length(surname) - 3) FROM members m JOIN facilities f ON f.facid = m.id GROUP BY m.id',
  'SELECT firstname, (SELECT max(x.slots + zipcode) FROM bookings x WHERE x.member = m.id) FROM members m JOIN facilities f ON f.facid < m.id GROUP BY m.id',
  'SELECT firstname, EXISTS (SELECT 1 FROM bookings x WHERE x.member = sponsor), sponsor IN (SELECT x.member FROM bookings x WHERE x.slots = zipcode - 1000) FROM members m JOIN facilities f ON f.facid < m.id GROUP BY m.id',
  'SELECT m.firstname, r.firstname, count(*) FROM members m LEFT JOIN members r ON r.id = m.sponsor GROUP BY m.id, r.id ORDER BY m.surname, r.surname',
  'SELECT name, firstname, sum(slots) FROM bookings b JOIN facilities f ON f.facid = b.facid JOIN members m ON m.id = member GROUP BY f.facid, m.id',
  'SELECT facid, name, count(bookid) FROM facilities JOIN bookings USING (facid) GROUP BY facid',
  'SELECT facid, name, count(bookid) FROM facilities LEFT JOIN bookings USING (facid) GROUP BY facid ORDER BY cost',
  'SELECT facid, name, count(bookid) FROM bookings RIGHT JOIN facilities USING (facid) GROUP BY facid',
  'SELECT v, w, count(*) FROM pairs p JOIN facilities f ON f.facid = p.a GROUP BY a, b',
  'SELECT v, name FROM pairs p JOIN facilities f ON f.facid = p.a GROUP BY a, b, f.facid',
  'WITH x AS (SELECT member, count(*) AS c FROM bookings GROUP BY member) SELECT firstname, sum(c) FROM x JOIN members m ON m.id = x.member GROUP BY m.id ORDER BY joined',
  `SELECT t.firstname FROM (SELECT firstname, count(*) FROM ${BOOKED} GROUP BY m.id) t`,
  `SELECT firstname, count(*) FROM ${BOOKED} GROUP BY m.id UNION ALL SELECT name, count(*) FROM facilities f JOIN bookings b ON b.facid = f.facid GROUP BY f.facid`,
  'SELECT m.firstname, r.* FROM members m JOIN LATERAL (SELECT count(*) AS c FROM bookings b WHERE b.member = m.id) r ON true GROUP BY m.id, r.c',
];

/** What groups by no key, or by a part of one, or reads what the key does not decide. */
const groupsByLess = [
  `SELECT firstname, count(*) FROM ${BOOKED} GROUP BY b.member`,
  `SELECT slots, count(*) FROM ${BOOKED} GROUP BY m.id`,
  `SELECT m.id AS firstname, surname, count(*) FROM ${BOOKED} GROUP BY firstname`,
  `SELECT firstname, sum(slots) FROM ${BOOKED} GROUP BY ROLLUP (m.id)`,
  `SELECT name, firstname FROM bookings b JOIN facilities f ON f.facid = b.facid JOIN members m ON m.id = member GROUP BY f.facid`,
  'SELECT facid, name, count(bookid) FROM bookings LEFT JOIN facilities USING (facid) GROUP BY facid',
  'SELECT facid, name, count(bookid) FROM bookings FULL JOIN facilities USING (facid) GROUP BY facid',
  'SELECT v, count(*) FROM pairs p JOIN facilities f ON f.facid = p.a GROUP BY a',
  `SELECT firstname, count(*) FROM (${BOOKED}) j GROUP BY bookid`,
];

/** Aliases with new names for the first columns, and rows of such tables as values. */
const aliases = [
  'SELECT t.x, t.y, t.zipcode, tenant FROM members AS t (x, y)',
  'SELECT * FROM members AS t (x, y) WHERE t.zipcode = 1001',
  'SELECT t.x, f.name FROM members t (x) JOIN facilities f (a) ON f.a = t.x',
  'WITH w AS (SELECT * FROM facilities) SELECT v.a, v.name, row_to_json(v) FROM w v (a)',
  'WITH w (a) AS (SELECT * FROM facilities) SELECT a, w.name FROM w',
  'SELECT f.name, x.a FROM facilities f, LATERAL (SELECT b.s FROM bookings b (s) WHERE b.facid = f.facid LIMIT 1) x (a)',
  'SELECT s.a, s.slots FROM (SELECT b.*, 1 AS one FROM bookings b) AS s (a, b)',
  'SELECT row_to_json(t) FROM facilities t',
  'SELECT row_to_json(t) FROM facilities t (id)',
  'SELECT row_to_json(t.*), t.id FROM facilities t (id) WHERE t.cost > 1',
  'SELECT t FROM facilities t (id)',
  'SELECT t::text, t.id FROM facilities t (id) ORDER BY t',
  'SELECT t.id, count(t), json_agg(t) FROM facilities t (id) WHERE t IS NOT NULL GROUP BY t.id',
  "SELECT to_jsonb(u) ->> 'bookid' AS b, to_jsonb(u) ->> 'x' AS x, t.name FROM facilities t LEFT JOIN bookings u (x) ON u.facid = t.facid AND u.slots > 3",
  'SELECT json_object_agg(t.x, t) FROM facilities t (x)',
  'SELECT (SELECT to_jsonb(t)) FROM facilities t (id)',
  'SELECT (t).id, (t).name, to_jsonb(t) FROM facilities t (id)',
  'SELECT x.r FROM (SELECT to_jsonb(t) AS r FROM facilities t (id)) x',
  'SELECT t, to_jsonb(t) FROM facilities t (t)',
];

describe('new names for columns', () => {
  test.each(aliases)('%s', async (sql) => {
    expect(await club.policed(sql)).toEqual(await club.visible(sql));
  });

  const masked = () =>
    allowedTables(
      [
        entity('members', [
          { name: 'id' },
          { name: 'surname', mask: "'***'" },
          { name: 'firstname' },
          { name: 'zipcode', hidden: true },
        ]),
      ],
      postgres,
    ).tables;

  test('show masks and no hidden column, in rows too', async () => {
    const { rows } = await club.policed('SELECT row_to_json(t), t.x, t.y, t.firstname FROM members t (x, y)', masked());
    expect(rows).toHaveLength(31);
    for (const row of rows) {
      expect(row).toMatch(/^\[\{"id":\d+,"surname":"\*\*\*","firstname":"First\d"\},\d+,"\*\*\*","First\d"\]$/);
    }
    for (const read of ['t.zipcode', 't.surname', 'zipcode', '(t).zipcode', '(t).sponsor']) {
      await expect(club.policed(`SELECT ${read} FROM members t (x, y)`, masked()), read).rejects.toThrow();
    }
  });

  test('leave the row to names that the statement may use', async () => {
    for (const sql of [
      'SELECT to_jsonb(t), t.* FROM facilities t (id)',
      'SELECT to_jsonb(t), (t).* FROM facilities t (id)',
    ]) {
      await expect(club.policed(sql)).rejects.toThrow('The row of "t" cannot be read beside its columns by "*"');
    }
    for (const sql of [
      'SELECT t."?row" FROM facilities t (id)',
      'SELECT t."?row", to_jsonb(t) FROM facilities t (id)',
    ]) {
      await expect(club.policed(sql)).rejects.toThrow('?row');
    }
  });
});

describe('groups by a primary key', () => {
  test.each(groupsByKey)('%s', async (sql) => {
    expect(await club.policed(sql)).toEqual(await club.visible(sql));
  });

  test.each(groupsByLess)('stay an error: %s', async (sql) => {
    await expect(club.visible(sql)).rejects.toThrow('GROUP BY');
    await expect(club.policed(sql)).rejects.toThrow('GROUP BY');
  });

  const layer = (key: object) =>
    allowedTables(
      [
        entity('members', [
          { name: 'id', primary_key: true, ...key },
          { name: 'firstname' },
          { name: 'surname', mask: "'***'" },
          { name: 'zipcode', hidden: true },
        ]),
        entity('bookings', []),
      ],
      postgres,
    ).tables;

  test('know the key that the layer declares, and show masks and no hidden column', async () => {
    const sql = `SELECT m.firstname, surname, m.*, count(*) FROM ${BOOKED} GROUP BY m.id`;
    const { columns, rows } = await club.policed(sql, layer({}));
    expect(columns).toEqual(['firstname', 'surname', 'id', 'firstname', 'surname', 'count']);
    expect(rows).toHaveLength(31);
    for (const row of rows) expect(row).toMatch(/"First\d","\*\*\*",\d+,"First\d","\*\*\*"/);
    const read = (expr: string) => club.policed(`SELECT firstname, ${expr} FROM ${BOOKED} GROUP BY m.id`, layer({}));
    for (const expr of ['zipcode', 'm.zipcode', '(m).zipcode'])
      await expect(read(expr), expr).rejects.toThrow('zipcode');
    for (const row of (await read("row_to_json(m) -> 'zipcode'")).rows) expect(row).toMatch(/,null\]$/);
  });

  test('do not trust a key that is masked', async () => {
    const sql = `SELECT firstname, count(*) FROM ${BOOKED} GROUP BY m.id`;
    await expect(club.policed(sql, layer({ mask: '1' }))).rejects.toThrow('GROUP BY');
  });
});
