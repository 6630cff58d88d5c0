/**
 * Asks Snowflake itself which tables a statement reads, by `EXPLAIN USING JSON`: that runs nothing and needs no warehouse. It
 * lists tables behind views in place of these, but for secure ones.
 */
import type { SqlStatement } from '../../../kernel/index.ts';
import { AtlasError } from '../../../kernel/index.ts';
import { EngineTables } from '../../datasource-kit/index.ts';
import type { Ask } from '../catalog/describe.ts';
import { snowflake } from '../dialect.ts';
import { type ObjectName, type Scan, scansIn } from './plan.ts';

const { quoteName, text } = snowflake.rendering;

interface Place {
  readonly database: string;
  readonly schema: string;
}

export class Verifier {
  readonly #place: Place;
  readonly #tables = new EngineTables();

  constructor(place: Place) {
    this.#place = place;
  }

  /** `sql`: the statement as it is sent. Throws `sql_refused`, or the engine's own error. */
  async check({ sql: unbound, tables = [] }: SqlStatement, sql: string, ask: Ask): Promise<void> {
    const named = new Map(tables.map((table) => byKey(fullName(table, this.#place))));
    const seen = new Map<string, ObjectName>();
    const { others, known } = await this.#tables.check({
      key: JSON.stringify([unbound, tables]),
      allowed: new Set(named.keys()),
      async read() {
        for (const [key, name] of tablesIn(await planOf(sql, ask))) seen.set(key, name);
        return new Set(seen.keys());
      },
      // One that is listed itself is no view that shows others.
      views: (read) => [...named.keys()].filter((key) => !read.has(key)),
      behind: (key) => ({
        key,
        async read() {
          const view = (named.get(key) ?? []).map(quoteName).join('.');
          return new Set(tablesIn(await planOf(`SELECT * FROM ${view}`, ask)).keys());
        },
      }),
    });
    for (const other of others) {
      const name = seen.get(other) ?? [];
      if (!(await isViewOf(name, known, ask)))
        throw refused(`The statement reads the table "${name.join('.')}", which is not allowed.`);
    }
  }
}

/** As the semantic layer names a table: in the connection's schema, or `schema.table` or `database.schema.table`. */
export function fullName(table: string, { database, schema }: Place): ObjectName {
  const parts = table.split('.');
  if (parts.length === 1) return [database, schema, table];
  return parts.length === 2 ? [database, ...parts] : parts;
}

export const keyOf = (name: ObjectName): string => JSON.stringify(name);

/** The steps of its plan that read. Throws `sql_refused` for what is no plan. */
export async function planOf(sql: string, ask: Ask): Promise<readonly Scan[]> {
  const [answer] = await ask(`EXPLAIN USING JSON ${sql}`);
  const scans = scansIn(answer === undefined ? undefined : Object.values(answer)[0]);
  if (scans === undefined) throw refused('What the statement reads cannot be told.');
  return scans;
}

const byKey = (name: ObjectName): [string, ObjectName] => [keyOf(name), name];

const tablesIn = (scans: readonly Scan[]): ReadonlyMap<string, ObjectName> =>
  new Map(scans.flatMap(({ objects }) => objects.map(byKey)));

/** Whether it is a materialized view of one of the tables, which the engine may read in its place. */
async function isViewOf(name: ObjectName, tables: ReadonlySet<string>, ask: Ask): Promise<boolean> {
  const [database = '', schema = '', view = ''] = name;
  const place = `${quoteName(database)}.${quoteName(schema)}`;
  const views = await ask(`SHOW MATERIALIZED VIEWS LIKE ${text(view)} IN SCHEMA ${place}`).catch(() => []);
  return views.some((one) => {
    const source = [one.source_database_name, one.source_schema_name, one.source_table_name].map(String);
    return one.name === view && tables.has(keyOf(source));
  });
}

function refused(message: string): AtlasError {
  return new AtlasError(message, {
    code: 'sql_refused',
    reason: 'E_SNOWFLAKE_REFUSED',
    hint: 'Read only tables of the semantic layer.',
  });
}
