/** Finds which columns refer to which table: by declared foreign keys, else by names, types and values. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import { nameKey, plainName, quotedTable, type Read, searchedRows, singular } from '../../profile-kit/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';

export interface Relationship {
  readonly columns: readonly string[];
  /** As the database describes it. */
  readonly target: TableDescription;
  readonly references: readonly string[];
  readonly isDeclared: boolean;
}

/** A table with the columns that tell its rows apart. */
export interface KeyedTable {
  readonly table: TableDescription;
  readonly key: readonly string[];
}

/**
 * `certain`: believed without any value, because the column is named after the one table of that name and its key.
 * `likely`: named after the table, with other words before it. `weak`: no more than a name that both have.
 */
type Strength = 'certain' | 'likely' | 'weak';

interface Candidate extends Omit<Relationship, 'isDeclared'> {
  readonly strength: Strength;
}

/** Share of the values that must be found in the other table. */
const MIN_INCLUDED = 0.98;
/** Different values without which a name that says little proves nothing. */
const MIN_VALUES = 2;
/** Tables that are tried for one column. */
const MAX_TRIED = 4;

/** What may follow or precede the name of a table in a column that refers to it. */
const SUFFIX = /^(.+?)_?(id|uuid|guid|key|code|no|nr|num|number|ref|fk|sk|sku|isbn|slug)$/;
const PREFIX = /^(?:id|fk|ref)_(.+)$/;
const TABLE_PREFIX = /^(tbl|tb|t|dim|fact|fct|d|f|stg|app)_(?=.)/;
/** Columns that refer to a row of their own table. */
const OWN =
  /^(parent|ancestor|root|predecessor|successor|previous|prev|next|original|manager|supervisor|reports_to|mentor)(_id)?$/;
/** Columns that refer to a person by what they do, and tables of people. */
const ROLE =
  /^(assignee|assigned_to|owner|author|creator|created_by|updated_by|reviewer|approver|approved_by|agent|handler|handled_by|responsible|reporter|sales_?rep|salesperson|account_manager|manager)(_id)?$/;
const PEOPLE = ['employee', 'user', 'staff', 'person', 'member', 'agent'];
/** What a comment refers to: "refers to employees.id", "FK to employees(id)". */
const IN_COMMENT =
  /\b(?:refer\w*(?: to)?|fk(?: to)?|foreign key (?:to|of)|key of|points? to|joins?(?: to)?|see|from)\s+["`]?(\w+)["`]?\s*[.(]\s*["`]?(\w+)/i;

/** Names that many tables use for something of their own. */
const GENERIC =
  /^(id|uuid|guid|key|code|no|nr|num|number|name|title|label|type|kind|status|state|date|day|month|year|time|value|amount|total|quantity|count|order|sort|group|position|rank|version|description|slug|email|e_mail|phone|url|ip|address|token|hash|host|username|login)$/;

/** The declared foreign keys to other described tables. */
function declared(table: TableDescription, tables: ReadonlyMap<string, TableDescription>): Relationship[] {
  return table.foreignKeys.flatMap(({ columns, table: name, references }) => {
    const target = tables.get(name) ?? tables.get(name.toLowerCase());
    const known = new Set(target?.columns.map((column) => column.name));
    const own = new Set(table.columns.map((column) => column.name));
    const isWhole = columns.every((column) => own.has(column)) && references.every((column) => known.has(column));
    return target === undefined || !isWhole || columns.length !== references.length
      ? []
      : [{ columns, target, references, isDeclared: true }];
  });
}

/** By exact name, and in lower case where that is unique: SQLite's foreign keys name tables in any case. */
function byName(tables: readonly TableDescription[]): ReadonlyMap<string, TableDescription> {
  const lower = Map.groupBy(tables, ({ name }) => name.toLowerCase());
  const unique = [...lower].flatMap(([name, [table, other]]) =>
    table === undefined || other !== undefined ? [] : [[name, table] as const],
  );
  return new Map([...unique, ...tables.map((table) => [table.name, table] as const)]);
}

/** Tables by the keys of the names that a column may use for them. */
function byStem(tables: readonly KeyedTable[]): ReadonlyMap<string, readonly KeyedTable[]> {
  const names = tables.map(({ table }) => plainName(table.name));
  const shared = commonPrefix(names);
  const stems = new Map<string, KeyedTable[]>();
  for (const [index, table] of tables.entries()) {
    const name = names[index] ?? '';
    const forms = new Set([name, name.replace(TABLE_PREFIX, ''), name.slice(shared.length)].map(nameKey));
    for (const form of forms) stems.set(form, [...(stems.get(form) ?? []), table]);
  }
  return stems;
}

/** What most names begin with, such as `shop_`. */
function commonPrefix(names: readonly string[]): string {
  const [prefix, all = []] =
    [...Map.groupBy(names, (name) => /^[^_]+_(?=.)/.exec(name)?.[0] ?? '')].sort(
      (a, b) => b[1].length - a[1].length,
    )[0] ?? [];
  return prefix !== undefined && all.length >= 3 && all.length >= names.length * 0.8 ? prefix : '';
}

function typesAgree(a: TableColumn, b: TableColumn, dialect: SqlDialect): boolean {
  const [one, other] = [dialect.columnType(a.type), dialect.columnType(b.type)];
  const isNumber = (type: string) => type === 'integer' || type === 'number' || type === 'flexible';
  if (isNumber(one) && isNumber(other)) return ![a.type, b.type].some((type) => /real|float|double/i.test(type));
  return one === other && (one !== 'converted' || a.type === b.type);
}

const isSameType = (a: TableColumn, b: TableColumn, { columnType }: SqlDialect) =>
  columnType(a.type) === columnType(b.type);

const columnOf = ({ columns }: TableDescription, name: string) => columns.find((column) => column.name === name);

interface Names {
  /** Tables by the key of their name, with and without what it begins with. */
  readonly stems: ReadonlyMap<string, readonly KeyedTable[]>;
  /** The same by the name without its first word. */
  readonly tails: ReadonlyMap<string, readonly KeyedTable[]>;
  /** Tables by the plain name of a key of one column. */
  readonly natural: ReadonlyMap<string, readonly (readonly [KeyedTable, string])[]>;
  /** Tables with a key of several columns, by the plain name of the first. */
  readonly composite: ReadonlyMap<string, readonly KeyedTable[]>;
  /** What the names of several tables begin with, such as `billing_`, where no table has that name. */
  readonly families: ReadonlySet<string>;
  readonly dialect: SqlDialect;
}

/** Tables whose names begin with the same word make a family. */
const MIN_FAMILY = 3;
const FAMILY = /^[^_]+_(?=.)/;

function familiesOf(tables: readonly KeyedTable[], stems: Names['stems']): ReadonlySet<string> {
  const groups = Map.groupBy(tables, ({ table }) => FAMILY.exec(plainName(table.name))?.[0] ?? '');
  const families = [...groups].filter(
    ([prefix, all]) => prefix !== '' && all.length >= MIN_FAMILY && !stems.has(nameKey(prefix.slice(0, -1))),
  );
  return new Set(families.map(([prefix]) => prefix));
}

function namesOf(tables: readonly KeyedTable[], dialect: SqlDialect): Names {
  const singles = tables.flatMap((keyed) => singleKeys(keyed).map((column) => [keyed, column] as const));
  const stems = byStem(tables);
  return {
    stems,
    families: familiesOf(tables, stems),
    tails: Map.groupBy(tables, ({ table }) => nameKey(plainName(table.name).replace(/^[^_]+_(?=.)/, ''))),
    natural: Map.groupBy(singles, ([, column]) => plainName(column)),
    composite: Map.groupBy(
      tables.filter(({ key }) => key.length > 1),
      ({ key }) => plainName(key[0] ?? ''),
    ),
    dialect,
  };
}

/** The columns that tell rows apart alone, that of the key first. */
function singleKeys({ table, key }: KeyedTable): string[] {
  const all = [key, ...(table.uniqueKeys ?? [])].filter(({ length }) => length === 1).flat();
  return [...new Set(all)];
}

/** The tables that a stem names, and how sure that is; `isOwn`: it names the table that has the column. */
function namedTables(own: KeyedTable, stem: string, isKey: boolean, { stems, tails, families }: Names) {
  const words = stem.split('_');
  const family = FAMILY.exec(plainName(own.table.name))?.[0] ?? '';
  const relatives = families.has(family) ? (stems.get(nameKey(family + stem)) ?? []) : [];
  // In `billing_invoices`, `account_id` is rather of `billing_accounts` than of `accounts`.
  if (relatives.length === 1) {
    const isOwn = relatives.includes(own);
    return { isOwn, tables: isOwn ? [] : relatives, strength: 'certain' as const };
  }
  for (const start of words.keys()) {
    const key = nameKey(words.slice(start).join('_'));
    const tables = stems.get(key) ?? [];
    if (start === 0 && tables.includes(own)) return { isOwn: true, tables: [], strength: 'weak' as const };
    if (tables.length > 0) {
      return {
        isOwn: false,
        tables,
        strength: start === 0 && tables.length === 1 ? ('certain' as const) : ('likely' as const),
      };
    }
    // The key of a table is named after another one only where they share it.
    if (isKey) break;
  }
  const tables = (tails.get(nameKey(stem)) ?? []).filter((table) => table !== own);
  return { isOwn: false, tables: tables.length === 1 && !isKey ? tables : [], strength: 'likely' as const };
}

/** What a column of a table may refer to, the likeliest first. */
function candidatesOf(own: KeyedTable, column: TableColumn, names: Names): Candidate[] {
  const name = plainName(column.name);
  const [, behind] = PREFIX.exec(name) ?? [];
  const [, before, suffix = ''] = SUFFIX.exec(name) ?? [];
  const stem = behind ?? before ?? name;
  const isKey = own.key.length === 1 && own.key[0] === column.name;
  const found: Candidate[] = [];
  const add = (target: KeyedTable, columns: readonly string[], strength: Strength) => {
    for (const reference of columns) {
      const other = columnOf(target.table, reference);
      if (other === undefined || (target === own && reference === column.name)) continue;
      if (!typesAgree(column, other, names.dialect)) continue;
      if (strength === 'weak' && !isSameType(column, other, names.dialect)) continue;
      found.push({ columns: [column.name], target: target.table, references: [reference], strength });
    }
  };
  const [, toldTable = '', toldColumn = ''] = IN_COMMENT.exec(column.comment ?? '') ?? [];
  for (const table of names.stems.get(nameKey(plainName(toldTable))) ?? []) {
    const told = table.table.columns.find((one) => plainName(one.name) === plainName(toldColumn));
    if (told !== undefined) add(table, [told.name], 'likely');
  }
  // The column `status` of `orders` may refer to `order_statuses`.
  const lookup = names.stems.get(nameKey(`${singular(plainName(own.table.name))}_${name}`)) ?? [];
  for (const table of lookup) if (table !== own && !isKey) add(table, singleKeys(table), 'likely');
  if (found.length > 0 || GENERIC.test(name)) return found.slice(0, MAX_TRIED);
  const { isOwn, tables, strength } = namedTables(own, stem, isKey, names);
  if (isOwn) return [];
  const isReference = behind !== undefined || /^(id|uuid|guid|key|fk|sk|ref)$/.test(suffix);
  // A number called `orders` counts them.
  const isCount = tables.length > 0 && behind === undefined && before === undefined && singular(name) !== name;
  if (isCount) return [];
  for (const table of tables) add(table, preferred(singleKeys(table), name, suffix), isReference ? strength : 'weak');
  if (tables.length > 0 || isKey) return found.slice(0, MAX_TRIED);
  if (ROLE.test(name)) {
    for (const table of PEOPLE.flatMap((person) => names.stems.get(person) ?? []))
      if (table !== own) add(table, table.key.length === 1 ? table.key : [], 'likely');
    if (found.length > 0) return found.slice(0, 1);
  }
  if (OWN.test(name)) add(own, own.key.length === 1 ? own.key : [], 'likely');
  for (const [table, reference] of names.natural.get(name) ?? []) if (table !== own) add(table, [reference], 'weak');
  return found.slice(0, MAX_TRIED);
}

/** Keys in the order in which a column may mean them: `currency_code` is rather `code` than `id`. */
function preferred(keys: readonly string[], name: string, suffix: string): string[] {
  const rank = (key: string) => {
    const plain = plainName(key);
    return plain === name ? 0 : plain === suffix ? 1 : 2;
  };
  return [...keys].sort((a, b) => rank(a) - rank(b));
}

/** Keys of several columns that a table has all columns of, by the same names. */
function compositeCandidates(own: KeyedTable, names: Names): Candidate[] {
  const columns = new Map(own.table.columns.map((column) => [plainName(column.name), column]));
  const tables = [...columns.keys()].flatMap((name) => names.composite.get(name) ?? []);
  return tables.flatMap((target): Candidate[] => {
    if (target === own || target.key.some((column) => plainName(column) === 'id')) return [];
    const pairs = target.key.map((column) => [columns.get(plainName(column)), columnOf(target.table, column)] as const);
    if (pairs.some(([a, b]) => a === undefined || b === undefined || !typesAgree(a, b, names.dialect))) return [];
    const from = pairs.map(([column]) => column?.name ?? '');
    const isSame = own.key.length === from.length && from.every((column) => own.key.includes(column));
    const isPart = singular(plainName(own.table.name)).startsWith(`${singular(plainName(target.table.name))}_`);
    if (isSame && !isPart) return [];
    return [{ columns: from, target: target.table, references: target.key, strength: 'weak' }];
  });
}

/** Whether the values of the columns are those of the other table, by the database. */
async function isIncluded(
  own: TableDescription,
  candidate: Candidate,
  dialect: SqlDialect,
  read: Read,
): Promise<boolean> {
  const { columns, target, references, strength } = candidate;
  const names = columns.map((_, index) => `v${index}`);
  const known = names.map((name) => `s.${name} IS NOT NULL`).join(' AND ');
  const different = `SELECT DISTINCT ${names.map((name) => `s.${name}`).join(', ')} FROM ${searchedRows(own, columns, dialect)} WHERE ${known}`;
  const { quoteName } = dialect.rendering;
  const on = references.map((reference, index) => `p.${quoteName(reference)} = d.v${index}`).join(' AND ');
  const found = `count(p.${quoteName(references[0] ?? '')})`;
  const sql = `SELECT count(*) AS n, ${found} AS m FROM (${different}) AS d LEFT JOIN ${quotedTable(target, dialect)} AS p ON ${on}`;
  const [row = {}] = (await read(sql)).rows;
  const [all = 0, included = 0] = ['n', 'm'].map((name) => Number(row[name]));
  if (all === 0) return strength === 'certain';
  return all >= (strength === 'weak' ? MIN_VALUES : 1) && included >= all * MIN_INCLUDED;
}

const inferred = ({ strength: _, ...relationship }: Candidate): Relationship => ({
  ...relationship,
  isDeclared: false,
});

const key = (columns: readonly string[]) => [...columns].sort().join('\0');

/** What the columns of one table refer to. What cannot be checked is left out. */
async function relationshipsOf(
  own: KeyedTable,
  known: readonly Relationship[],
  names: Names,
  read: Read,
): Promise<readonly Relationship[]> {
  const { dialect } = names;
  const taken = new Set(known.flatMap(({ columns }) => columns));
  const targets = new Set(known.map(({ target }) => target));
  const found = [...known];
  const holds = async (candidate: Candidate) => {
    try {
      return await isIncluded(own.table, candidate, dialect, read);
    } catch {
      return false;
    }
  };
  for (const candidate of compositeCandidates(own, names)) {
    if (found.some(({ columns }) => key(columns) === key(candidate.columns)) || !(await holds(candidate))) continue;
    found.push(inferred(candidate));
  }
  for (const column of own.table.columns) {
    if (taken.has(column.name)) continue;
    const candidates = candidatesOf(own, column, names).filter(
      // A second way to the same table by a name that says little would only make questions unclear.
      ({ strength, target }) => strength !== 'weak' || !targets.has(target),
    );
    const fitting: Candidate[] = [];
    for (const candidate of candidates) {
      if (fitting.some(({ target }) => target === candidate.target) || !(await holds(candidate))) continue;
      fitting.push(candidate);
    }
    const [only, other] = fitting;
    if (only !== undefined && other === undefined) found.push(inferred(only));
  }
  return found;
}

/** A function that finds what the columns of a table refer to; `tables` are all that can be joined. */
export function relationshipFinder(
  tables: readonly KeyedTable[],
  dialect: SqlDialect,
  read: Read,
): (own: KeyedTable) => Promise<readonly Relationship[]> {
  const described = byName(tables.map(({ table }) => table));
  const names = namesOf(
    tables.filter(({ table }) => table.kind === 'table'),
    dialect,
  );
  return (own) => relationshipsOf(own, declared(own.table, described), names, read);
}
