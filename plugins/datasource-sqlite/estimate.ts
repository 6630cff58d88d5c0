/** Estimates from SQLite's plan and its statistics how many rows a statement would read. */
import type { Database } from 'better-sqlite3';
import type { EstimateMessage } from '../datasource-kit/index.ts';

export interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

type Request = Pick<EstimateMessage, 'names' | 'lists'>;

/** Without ANALYZE a table's rows are counted up to this; larger ones have no estimate. */
const MAX_COUNTED = 10_000_000;
/** What SQLite itself expects of an index that it knows nothing about. */
const ROWS_OF_INDEX = 10;
const ROWS_OF_FUNCTION = 1_000;

const fold = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const bare = (name: string) => fold(name).replace(/^main\./, '');

const KEY = "SELECT name FROM pragma_table_info(?) WHERE pk = 1 AND upper(type) = 'INTEGER'";

class NotKnown extends Error {}

/** `undefined` for a recursion, and for a table that is too large to be counted. `tables`: all that it opens. */
export function estimatedRows(
  db: Database,
  steps: readonly Step[],
  tables: readonly string[],
  request: Request,
): number | undefined {
  try {
    return new Plan(db, steps, tables.map(bare), request).read(0).read;
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

class Plan {
  readonly #db: Database;
  readonly #children: ReadonlyMap<number, readonly Step[]>;
  readonly #tables: readonly string[];
  readonly #names: Request['names'];
  readonly #lists: NonNullable<Request['lists']>;
  /** Rows of what the statement makes before it reads it, by name. */
  readonly #made = new Map<string, number>();
  readonly #sizes = new Map<string, number>();
  readonly #results = new Map<number, { read: number; given: number }>();

  constructor(db: Database, steps: readonly Step[], tables: readonly string[], request: Request) {
    this.#db = db;
    this.#children = Map.groupBy(steps, ({ parent }) => parent);
    this.#tables = tables;
    this.#names = request.names;
    this.#lists = request.lists ?? {};
  }

  /** What the steps below `parent` read and give; loops that stand side by side are nested. */
  read(parent: number): { read: number; given: number } {
    const known = this.#results.get(parent);
    if (known !== undefined) return known;
    const result = this.#readSteps(this.#children.get(parent) ?? []);
    this.#results.set(parent, result);
    return result;
  }

  #readSteps(steps: readonly Step[]): { read: number; given: number } {
    let read = 0;
    let given = 1;
    const listed = Math.max(1, ...steps.map((step) => this.#valuesOf(step)));
    for (const { id, detail } of steps) {
      const below = () => this.read(id);
      const [, made] = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail) ?? [];
      if (made !== undefined) {
        const rows = below();
        read += rows.read;
        this.#made.set(fold(made), rows.given);
      } else if (/^(?:SETUP|RECURSIVE STEP)/.test(detail)) throw new NotKnown();
      else if (/^(?:SCAN|SEARCH) /.test(detail)) {
        const { rows, isOwn = false, once = 0 } = this.#loop(detail, listed);
        read += once + (isOwn && given === 1 ? 0 : given * rows);
        given *= Math.max(1, rows);
      } else if (detail.startsWith('MULTI-INDEX OR')) {
        const rows = below().read;
        read += given * rows;
        given *= Math.max(1, rows);
      } else if (/^(?:COMPOUND QUERY|MERGE|LEFT|RIGHT|UNION|INTERSECT|EXCEPT|INDEX \d)/.test(detail)) {
        const rows = below();
        read += rows.read;
        given = Math.max(given, rows.given);
      } else read += (detail.startsWith('CORRELATED') ? given : 1) * below().read;
    }
    return { read, given };
  }

  /** Estimates the values of a subquery on the right of IN. */
  #valuesOf({ id, detail }: Step): number {
    const [, table] = /^USING ROWID SEARCH ON TABLE (.+) FOR IN-OPERATOR/.exec(detail) ?? [];
    if (table !== undefined) return this.#sizeOf(table, '');
    return detail.startsWith('LIST SUBQUERY') ? this.read(id).given : 0;
  }

  /** How many values the search looks up, `listed` for each IN with a subquery. */
  #lookups(how: string, listed: number): number {
    const keys = this.#tables.flatMap((table) => this.#one<string>(KEY, table) ?? []).map(fold);
    return [...how.matchAll(/(\w+)=\?/g)].reduce((product, [, column = '']) => {
      const names = column === 'rowid' ? ['rowid', 'oid', '_rowid_', ...keys] : [fold(column)];
      const values = names.map((name) => this.#lists[name]);
      return product * Math.max(1, ...values.map((count = 1) => (count === 0 ? listed : count)));
    }, 1);
  }

  /** One run of a loop. `isOwn`: over what the statement itself has made. `once`: rows to be read before it. */
  #loop(detail: string, listed: number): { rows: number; isOwn?: boolean; once?: number } {
    if (/^SCAN (?:\d+ )?CONSTANT ROW|^SCAN \d+-ROW/.test(detail)) {
      return { rows: Number(/\d+/.exec(detail)?.[0] ?? 1), isOwn: true };
    }
    const [, name = '', how = ''] =
      /^(?:SCAN|SEARCH) (.+?)((?: USING| VIRTUAL TABLE| LEFT-JOIN| EXISTS).*)?$/.exec(detail) ?? [];
    const made = [fold(name), ...(this.#names[fold(name)] ?? []).map(bare)].flatMap((one) => this.#made.get(one) ?? []);
    if (made.length > 0) return { rows: Math.max(...made), isOwn: true };
    const size = () => this.#sizeOf(name, how);
    if (detail.startsWith('SCAN')) return { rows: size() };
    if (/AUTOMATIC/.test(how)) return { rows: Math.min(ROWS_OF_INDEX, size()), once: size() };
    const [, index] = /INDEX (\S+) \(/.exec(how) ?? [];
    const equal = how.match(/=\?/g)?.length ?? 0;
    const isKey = /INTEGER PRIMARY KEY \(rowid=\?\)/.test(how);
    // Nothing tells how much of an index lies between two values.
    if (!isKey && (index === undefined || equal === 0)) return { rows: size() };
    const each = isKey ? 1 : this.#rowsOfIndex(index as string, equal, size);
    const lookups = this.#lookups(how, listed);
    return { rows: lookups === 1 ? each : Math.min(each * lookups, size()) };
  }

  /** The size of the largest table that the alias may be. */
  #sizeOf(name: string, how: string): number {
    const [, index] = /USING (?:COVERING )?INDEX (\S+)/.exec(how) ?? [];
    const owner =
      index && this.#one<string>('SELECT tbl_name FROM main.sqlite_schema WHERE type = ? AND name = ?', 'index', index);
    const meant = owner ? [owner] : (this.#names[fold(name)] ?? []).map(bare);
    const known = meant.filter((table) => this.#isTable(table));
    // Inside of views the statement's names say nothing.
    const tables = known.length > 0 ? known : [fold(name), ...this.#tables].filter((table) => this.#isTable(table));
    if (tables.length > 0) return Math.max(...tables.map((table) => this.#rowsOf(table)));
    if (how.includes('VIRTUAL TABLE')) return ROWS_OF_FUNCTION;
    throw new NotKnown();
  }

  #isTable(name: string): boolean {
    return (
      this.#one('SELECT 1 FROM main.sqlite_schema WHERE type = ? AND lower(name) = ?', 'table', fold(name)) !==
      undefined
    );
  }

  #rowsOf(table: string): number {
    const known = this.#sizes.get(table);
    if (known !== undefined) return known;
    const counted = `SELECT count(*) FROM (SELECT 1 FROM main.${quote(table)} LIMIT ${MAX_COUNTED + 1})`;
    const rows = this.#statistics('lower(tbl) = ?', table)?.[0] ?? this.#one<number>(counted) ?? 0;
    if (rows > MAX_COUNTED && this.#statistics('lower(tbl) = ?', table) === undefined) throw new NotKnown();
    this.#sizes.set(table, rows);
    return rows;
  }

  #rowsOfIndex(index: string, equal: number, size: () => number): number {
    const known = this.#statistics('idx = ?', index)?.[equal];
    if (known !== undefined) return known;
    const columns = this.#one<number>('SELECT count(*) FROM pragma_index_info(?)', index) ?? 0;
    const isUnique = this.#one<number>(
      'SELECT l."unique" FROM main.sqlite_schema s, pragma_index_list(s.tbl_name) l WHERE s.type = ? AND s.name = ? AND l.name = s.name',
      'index',
      index,
    );
    return isUnique === 1 && equal >= columns ? 1 : Math.min(ROWS_OF_INDEX, size());
  }

  /** Rows of the table, then of each value of the first columns of an index; of several the largest. */
  #statistics(condition: string, value: string): number[] | undefined {
    if (!this.#isTable('sqlite_stat1')) return undefined;
    const sql = `SELECT stat FROM main.sqlite_stat1 WHERE ${condition} ORDER BY CAST(stat AS INTEGER) DESC LIMIT 1`;
    return this.#one<string>(sql, value)?.split(' ').map(Number).filter(Number.isFinite);
  }

  #one<T>(sql: string, ...values: string[]): T | undefined {
    return this.#db
      .prepare<string[], T>(sql)
      .pluck()
      .get(...values);
  }
}
