/**
 * Asks Trino itself which tables a statement reads, by `EXPLAIN (TYPE IO, FORMAT JSON)`: that runs nothing, and it lists
 * tables behind views in place of these.
 */
import type { SqlStatement } from '../../../kernel/index.ts';
import { AtlasError } from '../../../kernel/index.ts';
import { EngineTables } from '../../datasource-kit/index.ts';
import { trino } from '../dialect.ts';
import { objectIn } from '../wire/json.ts';

/** The answer to a statement that has one row and one column. */
export type Explain = (sql: string) => Promise<unknown>;

interface Place {
  readonly catalog: string;
  readonly schema: string;
}

export class Verifier {
  readonly #place: Place;
  readonly #tables = new EngineTables();

  constructor(place: Place) {
    this.#place = place;
  }

  /** `sql`: the statement as it is sent. Throws `sql_refused`, or the engine's own error. */
  async check({ sql: unbound, tables = [] }: SqlStatement, sql: string, explain: Explain, user = ''): Promise<void> {
    const readBy = async (text: string) => readTables(await explain(`EXPLAIN (TYPE IO, FORMAT JSON) ${text}`));
    const { others } = await this.#tables.check({
      key: JSON.stringify([unbound, tables, user]),
      allowed: new Set(tables.flatMap((table) => this.#fullNames(table))),
      read: () => readBy(sql),
      // One that is listed itself is no view.
      views: (read) => tables.flatMap((table) => this.#fullNames(table)[0] ?? []).filter((name) => !read.has(name)),
      behind: (name) => ({
        key: JSON.stringify([name, user]),
        read: () => readBy(`SELECT * FROM ${name.split('.').map(trino.rendering.quoteName).join('.')}`),
      }),
    });
    const [other] = others;
    if (other !== undefined) throw refused(`The statement reads the table "${other}", which is not allowed.`);
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
