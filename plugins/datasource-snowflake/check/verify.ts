/**
 * Asks Snowflake itself which tables a statement reads, by `EXPLAIN USING JSON`: that runs nothing and needs no warehouse. It
 * lists tables behind views in place of these, but for secure ones.
 */
import type { SqlStatement } from '../../../kernel/index.ts';
import { AtlasError } from '../../../kernel/index.ts';
import { snowflake } from '../../sql-kit/index.ts';
import type { Ask } from '../catalog/describe.ts';
import { type ObjectName, type Scan, scansIn } from './plan.ts';

const { quoteName, text } = snowflake.rendering;

interface Place {
  readonly database: string;
  readonly schema: string;
}

const MAX_CACHED = 500;
/** What a view shows may change. */
const VIEW_LIFE_MS = 60_000;

export class Verifier {
  readonly #place: Place;
  readonly #passed = new Set<string>();
  /** Tables that a view shows, by its full name. */
  readonly #shown = new Map<string, { readonly tables: ReadonlySet<string>; readonly until: number }>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** `sql`: the statement as it is sent. Throws `sql_refused`, or the engine's own error. */
  async check({ sql: unbound, tables = [] }: SqlStatement, sql: string, ask: Ask): Promise<void> {
    const key = JSON.stringify([unbound, tables]);
    if (this.#passed.has(key)) return;
    const named = tables.map((table) => fullName(table, this.#place));
    const allowed = new Set(named.map(keyOf));
    const read = tablesIn(await planOf(sql, ask));
    const others = [...read.keys()].filter((table) => !allowed.has(table));
    const behind = new Set<string>();
    if (others.length > 0) {
      for (const name of named) {
        // One that is listed itself is no view that shows others.
        if (!read.has(keyOf(name))) for (const one of await this.#behind(name, ask)) behind.add(one);
      }
    }
    for (const table of others) {
      const name = read.get(table) as ObjectName;
      const isShown = behind.has(table) || (await isViewOf(name, new Set([...allowed, ...behind]), ask));
      if (!isShown) throw refused(`The statement reads the table "${name.join('.')}", which is not allowed.`);
    }
    if (this.#passed.size >= MAX_CACHED) this.#passed.clear();
    if (others.length === 0) this.#passed.add(key);
  }

  async #behind(name: ObjectName, ask: Ask): Promise<ReadonlySet<string>> {
    const key = keyOf(name);
    const known = this.#shown.get(key);
    if (known !== undefined && known.until > performance.now()) return known.tables;
    const read = tablesIn(await planOf(`SELECT * FROM ${name.map(quoteName).join('.')}`, ask));
    const tables = new Set(read.keys());
    if (this.#shown.size >= MAX_CACHED) this.#shown.clear();
    this.#shown.set(key, { tables, until: performance.now() + VIEW_LIFE_MS });
    return tables;
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

const tablesIn = (scans: readonly Scan[]): ReadonlyMap<string, ObjectName> =>
  new Map(scans.flatMap(({ objects }) => objects.map((name): [string, ObjectName] => [keyOf(name), name])));

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
