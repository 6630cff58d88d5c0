/** What the login may do beyond reading. The database's own rights are the outer wall behind every check. */
import type { Query } from './query.ts';

/** Predefined roles that reach beyond the tables that were granted. */
const STRONG_ROLES = [
  'pg_write_all_data',
  'pg_read_server_files',
  'pg_write_server_files',
  'pg_execute_server_program',
  'pg_signal_backend',
  'pg_maintain',
];

const LOGIN = `SELECT quote_ident(r.rolname), quote_ident(current_database()), r.rolsuper,
    concat_ws(', ', CASE WHEN r.rolcreatedb THEN 'CREATEDB' END, CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END,
      CASE WHEN r.rolreplication THEN 'REPLICATION' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END),
    (SELECT string_agg(p.rolname, ', ' ORDER BY p.rolname) FROM pg_roles p
      WHERE p.rolname = ANY ($1) AND pg_has_role(p.oid, 'MEMBER')),
    has_database_privilege(current_database(), 'CREATE')
  FROM pg_roles r WHERE r.rolname = current_user`;

const USER_SCHEMA = `n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`;

const WRITABLE = `SELECT quote_ident(n.nspname), count(*), min(quote_ident(c.relname))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'f') AND ${USER_SCHEMA} AND (
    has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
  GROUP BY n.nspname ORDER BY n.nspname`;

const CREATABLE = `SELECT quote_ident(n.nspname) FROM pg_namespace n
  WHERE ${USER_SCHEMA} AND has_schema_privilege(n.oid, 'CREATE') ORDER BY n.nspname`;

const USABLE_SCHEMA = `SELECT quote_ident($1), EXISTS (
  SELECT FROM pg_namespace n WHERE n.nspname = $1 AND has_schema_privilege(n.oid, 'USAGE'))`;

/** One sentence for each kind of right that a reader does not need, and for a schema that it cannot use. */
export async function loginWarnings(
  query: Query,
  ownSchema: string,
  strongRoles: readonly string[] = [],
): Promise<string[]> {
  const [login = '', database = '', superuser, attributes = '', roles, mayCreate] =
    (await query(LOGIN, [[...STRONG_ROLES, ...strongRoles]]))[0] ?? [];
  const warnings: string[] = [];
  const [schema = '', isUsable] = (await query(USABLE_SCHEMA, [ownSchema]))[0] ?? [];
  if (isUsable === 'f') {
    warnings.push(
      `there is no schema ${schema} that the login ${login} may use; correct "schema", or GRANT USAGE ON SCHEMA ${schema} TO ${login};`,
    );
  }
  if (superuser === 't') {
    return [
      ...warnings,
      `the login ${login} is a superuser, which no check can hold back; make one that may only read: CREATE ROLE atlas_reader LOGIN PASSWORD '…'; GRANT CONNECT ON DATABASE ${database} TO atlas_reader; GRANT USAGE ON SCHEMA public TO atlas_reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO atlas_reader;`,
    ];
  }
  if (attributes !== null && attributes !== '') {
    const taken = attributes.replaceAll(/\w+/g, 'NO$&').replaceAll(',', '');
    warnings.push(`the login ${login} has ${attributes}; take it away: ALTER ROLE ${login} ${taken};`);
  }
  if (roles !== null && roles !== undefined) {
    warnings.push(`the login ${login} is a member of ${roles}; take it away: REVOKE ${roles} FROM ${login};`);
  }
  for (const [schema, count, table] of await query(WRITABLE)) {
    const tables = count === '1' ? `the table ${schema}.${table}` : `${count} tables of the schema ${schema}`;
    warnings.push(
      `the login ${login} may write to ${tables}; leave it only reading: REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA ${schema} FROM ${login}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${login}; a table that it owns, give to another role.`,
    );
  }
  const schemas = (await query(CREATABLE)).map(([schema]) => schema);
  if (schemas.length > 0) {
    const list = schemas.join(', ');
    warnings.push(
      `the login ${login} may create tables in the schema ${list}; take it away: REVOKE CREATE ON SCHEMA ${list} FROM ${login}, PUBLIC;`,
    );
  }
  if (mayCreate === 't') {
    warnings.push(
      `the login ${login} may create schemas in ${database}; take it away: REVOKE CREATE ON DATABASE ${database} FROM ${login};`,
    );
  }
  return warnings;
}
