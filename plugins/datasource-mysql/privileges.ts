/** What the login may do beyond reading. The database's own rights are the outer wall behind every check. */
import type { Query } from './query.ts';

/** Rights with which nothing can be changed. */
const READING: ReadonlySet<string> = new Set([
  'USAGE',
  'SELECT',
  'SHOW VIEW',
  'SHOW DATABASES',
  'SHOW CREATE ROUTINE',
  'SHOW_ROUTINE',
  'CREATE TEMPORARY TABLES',
  'EXECUTE',
  'PROCESS',
  'REFERENCES',
  'REPLICATION CLIENT',
  'BINLOG MONITOR',
  'SLAVE MONITOR',
  'REPLICA MONITOR',
  'PROXY',
]);

interface Grant {
  readonly rights: readonly string[];
  readonly on: string;
  readonly to: string;
}

/** Lines such as "GRANT SELECT, INSERT (`a`, `b`) ON `shop`.* TO `ada`@`%` …". */
function readGrant([line]: readonly (string | null)[]): Grant | undefined {
  const [, list = '', on = '', to = ''] =
    /^GRANT (.+) ON (?:TABLE |PROCEDURE |FUNCTION )?(.+) TO ([`'"][^`'"]*[`'"]@[`'"][^`'"]*[`'"])/.exec(line ?? '') ??
    [];
  if (list === '') return undefined;
  const rights = list.replace(/ ?\([^)]*\)/g, '').split(', ');
  return { rights: rights.filter((right) => !READING.has(right)), on, to };
}

/** Roles as MySQL lists them: "GRANT `reader`@`%`,`writer`@`%` TO `ada`@`%`". MariaDB lists a role's rights itself. */
function readRoles([line]: readonly (string | null)[]): string | undefined {
  return /^GRANT ((?:`[^`]+`@`[^`]+`,?)+) TO /.exec(line ?? '')?.[1];
}

/** One sentence for each grant that a reader does not need. */
export async function loginWarnings(query: Query): Promise<string[]> {
  const own = await query('SHOW GRANTS');
  const roles = own.map(readRoles).filter((role) => role !== undefined);
  const all = roles.length === 0 ? own : await query(`SHOW GRANTS FOR CURRENT_USER() USING ${roles.join(',')}`);
  return all.flatMap((line) => {
    const grant = readGrant(line);
    if (grant === undefined || grant.rights.length === 0) return [];
    const { rights, on, to } = grant;
    if (on === '*.*' && rights.includes('ALL PRIVILEGES')) {
      return [
        `the login ${to} may do everything on the server; make one that may only read: CREATE USER 'atlas_reader'@'%' IDENTIFIED BY '…'; GRANT SELECT, SHOW VIEW ON your_database.* TO 'atlas_reader'@'%';`,
      ];
    }
    const named = rights.join(', ');
    return [
      `the login ${to} has ${named} on ${on}; leave it only reading: REVOKE ${named} ON ${on} FROM ${to}; GRANT SELECT, SHOW VIEW ON ${on === '*.*' ? 'your_database.*' : on} TO ${to};`,
    ];
  });
}
