/**
 * Asks Trino itself which tables a statement reads, by `EXPLAIN (TYPE IO, FORMAT JSON)`: that runs nothing, and it lists
 * tables behind views in place of these.
 */
import type { SqlStatement } from '../../../kernel/index.ts';
import { AtlasError } from '../../../kernel/index.ts';
import { trino } from '../../sql-kit/index.ts';
import { objectIn } from '../wire/json.ts';

/** The answer to a statement that has one row and one column. */
export type Explain = (sql: string) => Promise<unknown>;

interface Place {
  readonly catalog: string;
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
  async check({ sql: unbound, tables = [] }: SqlStatement, sql: string, explain: Explain, user = ''): Promise<void> {
    const key = JSON.stringify([unbound, tables, user]);
    if (this.#passed.has(key)) return;
    const allowed = new Set(tables.flatMap((table) => this.#fullNames(table)));
    const read = readTables(await explain(`EXPLAIN (TYPE IO, FORMAT JSON) ${sql}`));
    const others = [...read].filter((table) => !allowed.has(table));
    if (others.length > 0) {
      const behind = new Set<string>();
      for (const table of tables) {
        const [name = ''] = this.#fullNames(table);
        // One that is listed itself is no view.
        if (!read.has(name)) for (const one of await this.#behind(name, explain, user)) behind.add(one);
      }
      const other = others.find((table) => !behind.has(table));
      if (other !== undefined) throw refused(`The statement reads the table "${other}", which is not allowed.`);
    }
    if (this.#passed.size >= MAX_CACHED) this.#passed.clear();
    if (others.length === 0) this.#passed.add(key);
  }

  async #behind(name: string, explain: Explain, user: string): Promise<ReadonlySet<string>> {
    const key = JSON.stringify([name, user]);
    const known = this.#shown.get(key);
    if (known !== undefined && known.until > performance.now()) return known.tables;
    const from = name.split('.').map(trino.rendering.quoteName).join('.');
    const tables = readTables(await explain(`EXPLAIN (TYPE IO, FORMAT JSON) SELECT * FROM ${from}`));
    if (this.#shown.size >= MAX_CACHED) this.#shown.clear();
    this.#shown.set(key, { tables, until: performance.now() + VIEW_LIFE_MS });
    return tables;
  }

  /** `catalog.schema.table`; a name with dots in it may be that of a table too. */
  #fullNames(table: string): string[] {
    const { catalog, schema } = this.#place;
    const parts = table.toLowerCase().split('.');
    const own = [catalog, schema, table.toLowerCase()].join('.');
    if (parts.length === 1) return [own];
    return [parts.length === 2 ? `${catalog}.${parts.join('.')}` : parts.join('.'), own];
  }
}

/** Full names in lower case. Throws `sql_refused` for what is no such plan, and for one that writes. */
function readTables(answer: unknown): ReadonlySet<string> {
  const { inputTableColumnInfos: inputs, outputTable } = objectIn(String(answer)) ?? {};
  if (!Array.isArray(inputs)) throw unreadable();
  if (outputTable !== undefined && outputTable !== null) throw refused('The statement writes a table.');
  return new Set(inputs.map((input) => tableIn(input)));
}

function tableIn(input: unknown): string {
  const { table } = (input ?? {}) as {
    readonly table?: { readonly catalog?: unknown; readonly schemaTable?: { schema?: unknown; table?: unknown } };
  };
  const parts = [table?.catalog, table?.schemaTable?.schema, table?.schemaTable?.table];
  if (!parts.every((part) => typeof part === 'string' && part !== '')) throw unreadable();
  return parts.join('.').toLowerCase();
}

const unreadable = () => refused('What the statement reads cannot be told.');

function refused(message: string): AtlasError {
  return new AtlasError(message, {
    code: 'sql_refused',
    reason: 'E_TRINO_REFUSED',
    hint: 'Read only tables of the semantic layer.',
  });
}
