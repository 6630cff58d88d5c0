/** Random tables of several tenants, the rules about them, and what each actor is meant to see of them. */
import type { Actor } from '../../kernel/index.ts';
import type { ModelDimension, ModelEntity } from '../../plugins/semantic-layer/index.ts';
import type { Choices } from './choices.ts';
import type { FuzzDialect, FuzzType } from './engine.ts';

export type Value = number | string | null;
type Row = Readonly<Record<string, Value>>;

/** The same mask twice: for the semantic layer, and worked out here. */
interface Mask {
  readonly sql: string;
  readonly of: (row: Row) => Value;
}

export interface Column {
  readonly name: string;
  readonly type: FuzzType;
  readonly declared: string;
  readonly hidden: boolean;
  readonly mask?: Mask;
  /** The semantic layer does not mention it. */
  readonly undeclared: boolean;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly indexed: boolean;
  /** Name of the table that this one is a view of. */
  readonly viewOf?: string;
}

/** A column that every table of that name shares has one type everywhere, so that NATURAL JOIN is sound. */
const NAMES: Readonly<Record<FuzzType, readonly string[]>> = {
  int: ['amount', 'parent_id', 'ref', 'Rank No', 'order', 'secret'],
  real: ['price', 'Größe', 'pay'],
  text: ['name', 'status', 'note', 'group', 'email'],
};
const TABLES = ['items', 'orders', 'Users', 'group', 'odd name', 'select'];
const TEXTS: readonly Value[] = ['a', 'b', 'Ab', '', "it's", null, 'a*', '%', '7'];
const USERS = ['a', 'Ab'];

export interface World {
  readonly tables: readonly Table[];
  readonly entities: readonly ModelEntity[];
  readonly actors: readonly Actor[];
  readonly options: {
    readonly column: string;
    readonly claim: string;
    readonly exempt: string[];
    readonly policies: { tables: string[]; column?: string; condition?: string; claim: string }[];
    readonly unmaskRoles: 'admin'[];
  };
  /** The tables as the actor is meant to see them. */
  seenBy(actor: Actor): readonly Table[];
}

export function createWorld(choices: Choices, dialect: FuzzDialect): World {
  const tenantType = choices.pick(['int', 'text'] as const);
  const tenants: readonly Value[] =
    tenantType === 'int' ? [1, 2, 10] : ['acme', 'ACME', "b'x", ...(dialect.tenants ?? [])];
  const column = choices.pick(['tenant_id', 'Tenant', 'tenant id']);
  const claim = choices.pick(['tenant', 'org.tenant_id', 'https://example.com/tenant']);
  const regional = new Set<string>();
  const conditional = new Set<string>();
  const exempt = new Set<string>();
  const sharesIds = choices.chance(50);

  const tables: Table[] = Array.from({ length: 3 + choices.below(3) }, (_, index) => {
    const name = TABLES[index] as string;
    const columns: Column[] = [plain('id', 'int', dialect.types.int)];
    const isExempt = index > 0 && choices.chance(25);
    if (isExempt) exempt.add(name);
    else {
      const declared = choices.pick([dialect.types[tenantType], ...dialect.tenantTypes[tenantType]]);
      columns.push({ ...plain(column, tenantType, declared), hidden: choices.chance(30) });
    }
    if (choices.chance(30)) {
      regional.add(name);
      columns.push(plain('region', 'text', choices.pick([dialect.types.text, ...dialect.tenantTypes.text])));
    }
    const restricted = choices.chance(60);
    for (const type of ['int', 'text', 'real', 'int', 'text'] as const) {
      if (!choices.chance(75)) continue;
      const free = NAMES[type].filter((candidate) => columns.every((other) => other.name !== candidate));
      columns.push(randomColumn(choices.pick(free), type, restricted, choices, dialect));
    }
    if (columns.some((other) => other.name === 'status') && choices.chance(40)) conditional.add(name);
    const rows = Array.from({ length: 4 + choices.below(14) }, (_, n) => {
      const row: Record<string, Value> = {};
      for (const { name: of, type } of columns) row[of] = randomValue(type, choices);
      row.id = sharesIds ? 1 + choices.below(6) : n + 1;
      if (!isExempt) row[column] = choices.chance(5) ? null : choices.pick(tenants);
      if (regional.has(name)) row.region = choices.pick(['eu', 'us', 'EU', null]);
      return row;
    });
    return { name, columns, rows, indexed: choices.chance(40) };
  });
  const viewed = choices.pick(tables);
  if (choices.chance(50) && !exempt.has(viewed.name) && viewed.columns.every(({ mask, hidden }) => !mask && !hidden)) {
    tables.push({ ...viewed, name: 'a_view', viewOf: viewed.name, indexed: false });
    for (const set of [regional, conditional]) if (set.has(viewed.name)) set.add('a_view');
  }

  const actors = tenants.flatMap((tenant, index): Actor[] => {
    const value = tenantType === 'int' && index === 1 ? String(tenant) : tenant;
    const claims = { ...claimsAt(claim, value), regions: index === 0 ? ['eu', 'us', 'us'] : ['eu'], users: USERS };
    const roles = index === 0 ? (['viewer', 'admin'] as const) : (['viewer'] as const);
    return roles.map((role) => ({ id: `${index}`, label: null, role, mode: 'test', claims }));
  });
  const policies = [
    { names: regional, policy: { column: 'region', claim: 'regions' } },
    { names: conditional, policy: { condition: `status IS NULL OR status IN ({claim}) OR id = 3`, claim: 'users' } },
  ].flatMap(({ names, policy }) => (names.size === 0 ? [] : [{ tables: [...names], ...policy }]));

  return {
    tables,
    entities: tables.map((table) => entityOf(table, dialect)),
    actors,
    options: { column, claim, exempt: [...exempt], policies, unmaskRoles: ['admin'] },
    seenBy(actor) {
      const tenant = tenants[Number(actor.id)] ?? null;
      const regions = actor.claims.regions as readonly Value[];
      return tables.map((table) => {
        const rows = table.rows.filter(
          (row) =>
            (exempt.has(table.name) || row[column] === tenant) &&
            (!regional.has(table.name) || (row.region !== null && regions.includes(row.region as Value))) &&
            (!conditional.has(table.name) || isOpen(row)),
        );
        return visibleOf({ ...table, rows }, actor.role === 'admin');
      });
    },
  };
}

const isOpen = ({ status, id }: Row) => status === null || USERS.includes(status as string) || id === 3;

function plain(name: string, type: FuzzType, declared: string): Column {
  return { name, type, declared, hidden: false, undeclared: false };
}

function claimsAt(path: string, value: Value): Record<string, unknown> {
  return path === 'org.tenant_id' ? { org: { tenant_id: value } } : { [path]: value };
}

function randomColumn(
  name: string,
  type: FuzzType,
  restricted: boolean,
  choices: Choices,
  dialect: FuzzDialect,
): Column {
  const column = plain(name, type, dialect.types[type]);
  if (!restricted) return { ...column, undeclared: choices.chance(30) };
  const fate = choices.below(5);
  if (fate === 1) return { ...column, hidden: true };
  if (fate === 2) return { ...column, undeclared: true };
  if (fate < 3) return column;
  const own = dialect.quote(name);
  const masks: Readonly<Record<FuzzType, readonly Mask[]>> = {
    int: [
      { sql: '0', of: () => 0 },
      { sql: `${own} * 0 + 5`, of: (row: Row) => (row[name] === null ? null : 5) },
      { sql: 'id + 100', of: (row: Row) => (row.id as number) + 100 },
    ],
    real: [{ sql: `${own} * 0.0 + 0.5`, of: (row: Row) => (row[name] === null ? null : 0.5) }],
    text: [
      { sql: "'***'", of: () => '***' },
      {
        sql: dialect.joined?.(`substr(${own}, 1, 1)`, "'*'") ?? `substr(${own}, 1, 1) || '*'`,
        of: (row: Row) => maskedText(row[name]),
      },
      {
        sql: `CASE WHEN ${own} IS NULL THEN 'none' ELSE 'some' END`,
        of: (row: Row) => (row[name] === null ? 'none' : 'some'),
      },
      { sql: 'NULL', of: () => null },
    ],
  };
  return { ...column, mask: choices.pick(masks[type]) };
}

const maskedText = (value: Value | undefined) => (typeof value === 'string' ? `${value.slice(0, 1)}*` : null);

/** Fractions are halves, so that sums are exact in any order. */
function randomValue(type: FuzzType, choices: Choices): Value {
  if (type === 'text') return choices.pick(TEXTS);
  if (choices.chance(15)) return null;
  return type === 'int' ? choices.below(7) : choices.below(12) / 2;
}

function isRestricted({ columns }: Table): boolean {
  return columns.some(({ hidden, mask }) => hidden || mask !== undefined);
}

function visibleOf(table: Table, unmask: boolean): Table {
  const restricted = isRestricted(table);
  const columns = table.columns.filter(({ hidden, undeclared }) => !hidden && !(restricted && undeclared));
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, mask }) => [name, mask === undefined || unmask ? (row[name] ?? null) : mask.of(row)]),
    ),
  );
  const { name, indexed } = table;
  return { name, columns, rows, indexed: indexed && columns.some((column) => column.name === 'id') };
}

function entityOf(table: Table, { quote }: FuzzDialect): ModelEntity {
  const dimensions = table.columns
    .filter(({ undeclared }) => !undeclared)
    .map(
      ({ name, hidden, mask }): ModelDimension => ({
        name,
        sql: quote(name),
        type: 'string',
        ...(hidden && { hidden }),
        ...(mask !== undefined && { mask: mask.sql }),
      }),
    );
  const nothing = { synonyms: [], measures: [], joins: [], segments: [], queryPatterns: [] };
  const { name } = table;
  return { name, table: name, type: 'table', description: '', dimensions, file: '', source: 'default', ...nothing };
}

/** The tables as SQL. */
export function scriptOf(tables: readonly Table[], { quote }: FuzzDialect): string {
  return tables
    .flatMap(({ name, columns, rows, indexed, viewOf }) => {
      if (viewOf !== undefined) return [`CREATE VIEW ${quote(name)} AS SELECT * FROM ${quote(viewOf)}`];
      const list = columns.map((column) => `${quote(column.name)} ${column.declared}`).join(', ');
      const values = rows.map((row) => `(${columns.map((column) => literal(row[column.name] ?? null)).join(', ')})`);
      return [
        `CREATE TABLE ${quote(name)} (${list})`,
        ...(values.length === 0 ? [] : [`INSERT INTO ${quote(name)} VALUES ${values.join(', ')}`]),
        ...(indexed ? [`CREATE INDEX ${quote(`${name} index`)} ON ${quote(name)} (id)`] : []),
      ];
    })
    .map((statement) => `${statement};\n`)
    .join('');
}

const literal = (value: Value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL');
