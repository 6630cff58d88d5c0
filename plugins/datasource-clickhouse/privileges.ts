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

const STRONG_NAMES = 3;

/** Lines such as "GRANT SELECT(a, b), INSERT ON shop.* TO reader WITH GRANT OPTION". */
function readGrant(line: string) {
  const [, list = '', on = '', to = ''] = /^GRANT (.+) ON (.+?) TO (.+?)(?: WITH GRANT OPTION)?$/.exec(line) ?? [];
  if (list === '') return undefined;
  const rights = list.replace(/ ?\([^)]*\)/g, '').split(', ');
  return { rights: rights.filter((right) => !READING.has(right)), on, to };
}

/** One sentence for each grant that a reader does not need. */
export async function loginWarnings(query: Query): Promise<string[]> {
  const lines = (await query('SHOW GRANTS FINAL')).map(([line]) => String(line));
  return lines.flatMap((line) => {
    const grant = readGrant(line);
    if (grant === undefined || grant.rights.length === 0) return [];
    const { rights, on, to } = grant;
    const place = on === '*' ? 'the server' : on;
    if (rights.length > STRONG_NAMES || rights.includes('ALL')) {
      const named = rights.slice(0, STRONG_NAMES).join(', ');
      return [
        `the login ${to} may do more than read on ${place}, such as ${named}; make one that may only read: CREATE USER atlas_reader IDENTIFIED BY '…' SETTINGS readonly = 2; GRANT SELECT ON your_database.* TO atlas_reader;`,
      ];
    }
    const named = rights.join(', ');
    return [`the login ${to} has ${named} on ${place}; leave it only reading: REVOKE ${named} ON ${on} FROM ${to};`];
  });
}
