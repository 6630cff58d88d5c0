/**
 * Asks SQLite itself what a statement would do: whether it only reads, which b-trees and virtual tables its compiled
 * program opens, and which functions it calls. No text of the statement is matched but its first keyword.
 */
import type { Database, Statement } from 'better-sqlite3';

/** The statement would read or call more than it may. The message is for the statement's author. */
export class Refusal extends Error {}

/** `explain` exists since version 13 of the driver; unlike `prepare` it leaves parameters unbound. */
interface Explaining {
  explain(sql: string): readonly Instruction[];
}

interface Instruction {
  readonly opcode: string;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
  readonly p5: number;
}

interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  /** Table that an index belongs to. */
  readonly owner: string;
  readonly root: number;
}

interface Footprint {
  /** Root pages in the main database. */
  readonly trees: ReadonlySet<number>;
  /** Virtual tables, each by its address in the engine. */
  readonly virtualTables: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

export interface Allowed {
  readonly tables: readonly string[];
  readonly functions: readonly string[] | null;
}

/** Cursors over what the statement itself made: sorters, materialised subqueries. */
const OWN_CURSORS = new Set(['OpenEphemeral', 'OpenAutoindex', 'OpenPseudo', 'OpenDup', 'SorterOpen']);
const CALLS = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1', 'AggInverse', 'AggValue', 'AggFinal']);
/** Functions that operators and keywords compile to, so that no list of function names mentions them. */
const OPERATORS = ['like', 'glob', 'regexp', 'match', '->', '->>', 'current_date', 'current_time', 'current_timestamp'];
/** Table-valued functions that read only their arguments. */
const TABLE_FUNCTIONS = ['json_each', 'json_tree'];
/** Never readable, even if allowed: it shows the definitions of everything. */
const SCHEMA_TABLE = 'sqlite_schema';
/** The root page comes from a register, so it cannot be known before the statement runs. */
const P2_IS_REGISTER = 0x10;

/** SQLite folds ASCII letters only. */
const fold = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** `main.orders` and `orders` are the same table. */
const bare = (name: string) => fold(name).replace(/^main\./, '');

/** SQLite's comments and blanks, then the first word: pragmas act while they are prepared, so they must not get there. */
const READING = /^(?:[ \t\n\f\r]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:select|with|values)\b/i;

function footprint(db: Database, sql: string): Footprint {
  const trees = new Set<number>();
  const virtualTables = new Set<string>();
  const functions = new Set<string>();
  for (const { opcode, p2, p3, p4, p5 } of (db as unknown as Explaining).explain(sql)) {
    if (opcode === 'OpenRead' || opcode === 'ReopenIdx') {
      if (p3 !== 0 || (p5 & P2_IS_REGISTER) !== 0) throw new Refusal('The statement reads outside the main database.');
      trees.add(p2);
    } else if (opcode === 'VOpen') {
      virtualTables.add(p4 ?? '');
    } else if (CALLS.has(opcode)) {
      if (p4 !== null) functions.add(fold(p4.replace(/\(-?\d+\)$/, '')));
    } else if (/^(?:Re)?Open|Open$/.test(opcode) && !OWN_CURSORS.has(opcode)) {
      throw new Refusal('The statement opens storage in a way that is not allowed.');
    }
  }
  return { trees, virtualTables, functions };
}

/** The schema of the main database, read anew whenever its version changes. */
export class Schema {
  readonly version: number;
  readonly #db: Database;
  readonly #byName = new Map<string, SchemaObject>();
  readonly #byRoot = new Map<number, SchemaObject>();
  readonly #footprints = new Map<string, Footprint>();

  constructor(db: Database, version: number) {
    this.version = version;
    this.#db = db;
    const objects = db
      .prepare<[], SchemaObject>('SELECT type, name, tbl_name AS owner, rootpage AS root FROM main.sqlite_schema')
      .all();
    for (const object of objects) {
      if (object.type === 'table' || object.type === 'view') this.#byName.set(fold(object.name), object);
      if (object.root > 0) this.#byRoot.set(object.root, object);
    }
  }

  /** Prepares a statement that reads nothing but what is allowed. Throws `Refusal`, or SQLite's own error. */
  prepare(sql: string, allowed: Allowed): Statement<unknown[], unknown[]> {
    if (!READING.test(sql)) throw new Refusal('Only one SELECT statement can be run.');
    const statement = this.#db.prepare<unknown[], unknown[]>(sql);
    if (!statement.readonly || !statement.reader) throw new Refusal('Only statements that read can be run.');
    this.#check(footprint(this.#db, sql), allowed);
    return statement.raw().safeIntegers();
  }

  /** Tables that the statement opens, those of views included. */
  tablesOf(sql: string): string[] {
    return [...new Set(this.#owners(footprint(this.#db, sql).trees))];
  }

  #check(seen: Footprint, allowed: Allowed): void {
    const tables = new Set<string>();
    const functions = new Set<string>(OPERATORS);
    const virtualTables = new Set<string>();
    for (const name of allowed.functions ?? []) functions.add(fold(name));
    for (const name of allowed.tables.map(bare)) {
      tables.add(name);
      const inner = this.#footprintOf(name);
      for (const owner of this.#owners(inner?.trees)) tables.add(owner);
      for (const called of inner?.functions ?? []) functions.add(called);
    }
    for (const owner of this.#owners(seen.trees)) {
      if (owner === SCHEMA_TABLE || !tables.has(owner)) {
        throw new Refusal(`The statement reads the table "${owner}", which is not allowed.`);
      }
    }
    if (seen.virtualTables.size > 0) {
      // Addresses hold only as long as nothing reloads the schema, so they are compared at once and never kept.
      for (const name of TABLE_FUNCTIONS) {
        const permitted = allowed.functions === null || functions.has(name) || tables.has(name);
        if (permitted) add(virtualTables, footprint(this.#db, `SELECT 1 FROM ${name}('[]')`).virtualTables);
      }
      for (const name of allowed.tables.map(bare)) {
        const object = this.#byName.get(name);
        if (object) add(virtualTables, footprint(this.#db, `SELECT * FROM main.${quote(object.name)}`).virtualTables);
      }
      for (const address of seen.virtualTables) {
        if (!virtualTables.has(address)) throw new Refusal('The statement reads a virtual table that is not allowed.');
      }
    }
    if (allowed.functions === null) return;
    for (const name of seen.functions) {
      if (!functions.has(name)) throw new Refusal(`The statement calls the function "${name}", which is not allowed.`);
    }
  }

  /** Tables that the b-trees belong to, be it as rows or as an index. The schema's own tree has no entry. */
  #owners(trees: Iterable<number> = []): string[] {
    return [...trees].map((root) => fold(this.#byRoot.get(root)?.owner ?? SCHEMA_TABLE));
  }

  /** What reading all of a table or view involves: a view's base tables, the functions of generated columns. */
  #footprintOf(name: string): Footprint | undefined {
    const known = this.#footprints.get(name);
    if (known !== undefined) return known;
    const object = this.#byName.get(name);
    if (object === undefined) return undefined;
    const found = footprint(this.#db, `SELECT * FROM main.${quote(object.name)}`);
    this.#footprints.set(name, found);
    return found;
  }
}

function add<T>(to: Set<T>, from: Iterable<T>): void {
  for (const item of from) to.add(item);
}
