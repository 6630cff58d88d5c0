/** What the login may do beyond reading. The database's own rights are the outer wall behind every check. */
import type { Query } from './query.ts';

/** Rights with which nothing can be changed, and nothing outside of tables be read. */
const READING: ReadonlySet<string> = new Set([
  'SELECT',
  'SHOW',
  'SHOW DATABASES',
  'SHOW TABLES',
  'SHOW COLUMNS',
  'SHOW DICTIONARIES',
  'SHOW NAMED COLLECTIONS',
  'CHECK',
  'CLUSTER',
  'REMOTE',
  'KILL QUERY',
  'dictGet',
  'USAGE',
  'CREATE TEMPORARY TABLE',
  'TABLE ENGINE',
]);

/** More of them are a login that was made for something else. */
const FEW = 3;

/** What a line such as "GRANT SELECT(a, b), INSERT ON shop.* TO reader WITH GRANT OPTION" gives beyond reading. */
function beyondReading(line: string) {
  const [, list = '', on = '', to = ''] = /^GRANT (.+) ON (.+?) TO (.+?)(?: WITH GRANT OPTION)?$/.exec(line) ?? [];
  const rights = list.replace(/ ?\([^)]*\)/g, '').split(', ');
  return rights.filter((right) => right !== '' && !READING.has(right)).map((right) => ({ right, on, to }));
}

/** One sentence for each grant that a reader does not need, or one for all of them. */
export async function loginWarnings(query: Query): Promise<string[]> {
  const grants = (await query('SHOW GRANTS FINAL')).flatMap(([line]) => beyondReading(String(line)));
  if (grants.length <= FEW) {
    return grants.map(
      ({ right, on, to }) =>
        `the login ${to} has ${right} on ${on}; leave it only reading: REVOKE ${right} ON ${on} FROM ${to};`,
    );
  }
  const some = grants.slice(0, FEW).map(({ right, on }) => `${right} on ${on}`);
  return [
    `the login ${grants[0]?.to} may do more than read, such as ${some.join(', ')}; make one that may only read: CREATE USER atlas_reader IDENTIFIED BY '…' SETTINGS readonly = 2; GRANT SELECT ON your_database.* TO atlas_reader;`,
  ];
}
