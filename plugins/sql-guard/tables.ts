import { nearest } from '../semantic-layer/nearest.ts';
import type { Expr } from './ast.ts';
import { fold, type SqlDialect } from './dialect.ts';

/** A column as it may be seen. */
export interface VisibleColumn {
  readonly name: string;
  /** Stands in for the value; every column name in it is qualified with the table's name. */
  readonly mask: Expr | undefined;
}

/** A table or view that may be read. */
export interface AllowedTable {
  readonly name: string;
  /** `undefined`: the engine's default schema. */
  readonly schema: string | undefined;
  /** Names of the entities that describe it. */
  readonly entities: readonly string[];
  /** Columns known to exist, in lower case. A table may have more. */
  readonly known: ReadonlySet<string>;
  /** All that may be seen of it; `undefined` = everything. */
  readonly visible: readonly VisibleColumn[] | undefined;
}

/** The tables that a statement may read, found by name as the engine finds them. */
export class AllowedTables {
  readonly tables: readonly AllowedTable[];
  private readonly byName = new Map<string, AllowedTable>();

  constructor(tables: readonly AllowedTable[], dialect: SqlDialect) {
    this.tables = tables;
    for (const table of tables) this.byName.set(key(table.schema ?? dialect.defaultSchema, table.name), table);
  }

  find(schema: string, name: string): AllowedTable | undefined {
    return this.byName.get(key(schema, name));
  }
}

const key = (schema: string, name: string) => `${fold(schema)}\0${fold(name)}`;

const MOST_NAMES = 20;

/** For a table that is not there: the one that was probably meant, and those there are. */
export function tableHint(name: string, { tables }: AllowedTables): { suffix: string; hint: string | undefined } {
  const entity = tables.find((table) => table.entities.some((entity) => fold(entity) === fold(name)));
  const meant =
    entity?.name ??
    nearest(
      name,
      tables.map((table) => table.name),
    );
  if (meant !== undefined) return { suffix: `; did you mean "${meant}"?`, hint: undefined };
  if (tables.length === 0) return { suffix: '', hint: 'The semantic layer has no table of this connection.' };
  const names = tables.slice(0, MOST_NAMES).map((table) => table.name);
  const more = tables.length > MOST_NAMES ? ', …' : '';
  return { suffix: '', hint: `Tables that can be read: ${names.join(', ')}${more}.` };
}
