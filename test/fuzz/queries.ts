/** Random valid statements over a world's tables. What an actor may not see is never named by them. */
import type { Choices } from './choices.ts';
import type { FuzzDialect, FuzzForm, FuzzType } from './engine.ts';
import { Expressions, type Place, type Subqueries, TYPES } from './expressions.ts';
import { asofSource, friendlyStar, friendlyUnnest, merged } from './friendly.ts';
import { type NamedColumn, Names, namesRow, type Relation, Scope } from './scope.ts';
import type { Table } from './world.ts';

export interface Query {
  readonly sql: string;
  /** The rows come in an order that the statement fixes. */
  readonly ordered: boolean;
}

/** Names that a statement gives: also those of hidden columns and of tables. */
const ALIASES: Readonly<Record<FuzzType, readonly string[]>> = {
  int: ['i', 'secret', 'amount', 'id', 'order'],
  real: ['r', 'pay', 'price'],
  text: ['t', 'email', 'name', 'group'],
};

/** Every source may multiply the rows, so beyond this no further one is joined. */
const MOST_WORK = 2_000;

interface Written {
  readonly sql: string;
  readonly columns: readonly NamedColumn[];
  readonly rows: number;
}

/** Common tables in sight, and names that mean one but cannot be used yet. */
interface Common {
  readonly tables: readonly Relation[];
  readonly taken: readonly string[];
}

/** `tables`: as the actor sees them. */
export function randomQuery(choices: Choices, tables: readonly Table[], dialect: FuzzDialect): Query {
  return new Queries(choices, tables, dialect).statement();
}

class Queries implements Subqueries {
  private readonly choices: Choices;
  private readonly tables: readonly Table[];
  private readonly dialect: FuzzDialect;
  private readonly names: Names;
  private readonly expressions: Expressions;
  private readonly kinds: readonly string[];
  private common: Common = { tables: [], taken: [] };
  private aliases = 0;

  constructor(choices: Choices, tables: readonly Table[], dialect: FuzzDialect) {
    this.choices = choices;
    this.tables = tables;
    this.dialect = dialect;
    this.kinds = ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN'].filter(
      (kind) => kind !== 'FULL JOIN' || !this.lacks('FULL JOIN'),
    );
    this.names = new Names(choices, dialect);
    this.expressions = new Expressions(choices, dialect, this.names, this);
  }

  statement(): Query {
    const { choices } = this;
    const depth = 1 + choices.below(3);
    if (choices.chance(15)) return this.starred(depth);
    const { sql, columns } = this.select(undefined, depth);
    const isOpen = this.lacks('ORDER BY of a whole UNION') && /\b(?:UNION|INTERSECT|EXCEPT)\b/.test(sql);
    if (isOpen || !choices.chance(50)) return { sql, ordered: false };
    return { sql: sql + this.totalOrder(columns.length) + this.limit(sql), ordered: true };
  }

  /** `SELECT *` over joins that merge columns: how many there are is left to the engine. */
  private starred(depth: number): Query {
    const scope = new Scope(undefined);
    const from = this.from(scope, depth, true);
    const one = this.choices.chance(50) ? undefined : this.choices.pick(scope.relations);
    let star = one === undefined ? '*' : `${this.names.quoted(one.name)}.*`;
    if (this.dialect.isFriendly && this.choices.chance(60)) {
      const value = () => this.expressions.value(this.choices.pick(TYPES), { scope, depth: 1, reach: 'local' });
      star = friendlyStar(star, one === undefined ? scope.relations : [one], value, this.choices, this.names);
    }
    return { sql: `SELECT ${star} FROM ${from}${this.where(scope, depth)}`, ordered: false };
  }

  // ── subqueries in expressions ───────────────────────────────────────────────────────────────────────────────────

  scalar(type: FuzzType, place: Place): string {
    const scope = new Scope(this.seen(place.scope));
    const from = this.from(scope, place.depth - 1);
    const where = this.where(scope, place.depth);
    const inner: Place = { scope, depth: place.depth - 1, reach: 'any' };
    if (this.choices.chance(60)) return `(SELECT ${this.expressions.aggregate(type, inner)} FROM ${from}${where})`;
    return `(SELECT ${this.expressions.value(type, inner)} AS v FROM ${from}${where} ORDER BY 1 LIMIT 1)`;
  }

  rows(types: readonly FuzzType[], place: Place): string {
    return `(${this.select(this.seen(place.scope), place.depth - 1, types).sql})`;
  }

  exists(place: Place): string {
    const scope = new Scope(this.seen(place.scope));
    const from = this.from(scope, place.depth - 1);
    const what = this.choices.pick(['1', '*', 'NULL']);
    return `SELECT ${what} FROM ${from}${this.where(scope, place.depth, 90)}`;
  }

  table(types: readonly FuzzType[]): string | undefined {
    const fitting = this.tables.filter(
      ({ columns }) => columns.length === types.length && columns.every(({ type }, index) => type === types[index]),
    );
    return fitting.length === 0 ? undefined : this.tableName(this.choices.pick(fitting));
  }

  // ── SELECT ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** `wanted`: types of the result columns, in order; without, anything. */
  private select(outer: Scope | undefined, depth: number, wanted?: readonly FuzzType[]): Written {
    const { choices } = this;
    const around = this.common;
    const withClause = depth > 0 && choices.chance(wanted === undefined ? 25 : 8) ? this.with(outer, depth - 1) : '';
    const first = this.core(outer, depth, wanted);
    let { sql, rows, columns } = first;
    let types = columns.map(({ type }) => type);
    const operators = ['UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT'];
    if (this.dialect.hasSetAll) operators.push('INTERSECT ALL', 'EXCEPT ALL');
    if (depth > 0 && types.length > 0 && choices.chance(20)) {
      for (let more = 1 + choices.below(2); more > 0; more -= 1) {
        const further = this.core(outer, depth - 1, types);
        rows += further.rows;
        const byName = this.dialect.isFriendly && wanted === undefined ? merged(columns, further.columns) : undefined;
        if (byName !== undefined && choices.chance(30)) {
          sql += ` UNION ${choices.pick(['', 'ALL '])}BY NAME ${further.sql}`;
          columns = byName;
          types = columns.map(({ type }) => type);
        } else sql += ` ${choices.pick(operators)} ${further.sql}`;
      }
    }
    if (withClause !== '') this.common = around;
    return { sql: withClause + sql, columns, rows };
  }

  private core(outer: Scope | undefined, depth: number, wanted: readonly FuzzType[] | undefined): Written {
    const { choices } = this;
    if (depth >= 0 && wanted !== undefined && choices.chance(5)) return this.values(wanted);
    const scope = new Scope(outer);
    const from = this.from(scope, depth);
    const where = this.where(scope, depth);
    const types = wanted ?? choices.list(1, 4, () => choices.pick(TYPES));
    const rows = scope.relations.reduce((product, relation) => product * Math.max(1, relation.rows), 1);
    const place: Place = { scope, depth: Math.max(0, depth), reach: 'any' };
    if (this.dialect.isFriendly && choices.chance(25)) return { ...this.friendly(types, place, from, where), rows };
    const form = choices.below(wanted === undefined ? 6 : 4);
    if (form === 2) return { ...this.grouped(types, place, from + where), rows };
    const distinct = choices.chance(15) ? 'DISTINCT ' : '';
    if (form === 3) {
      const items = this.items(types, (type) =>
        choices.chance(60)
          ? this.expressions.window(type, place)
          : this.expressions.value(type, { ...place, depth: 0 }),
      );
      return { sql: `SELECT ${distinct}${items.sql} FROM ${from}${where}`, columns: items.columns, rows };
    }
    if (form >= 4) {
      const one = form === 5 ? choices.pick(scope.relations) : undefined;
      const star = one === undefined ? '*' : `${this.names.quoted(one.name)}.*`;
      const columns = one?.columns ?? scope.relations.flatMap((relation) => relation.columns);
      return { sql: `SELECT ${distinct}${star} FROM ${from}${where}`, columns, rows };
    }
    const items = this.items(types, (type) => this.item(type, place));
    return { sql: `SELECT ${distinct}${items.sql} FROM ${from}${where}`, columns: items.columns, rows };
  }

  /** FROM first, GROUP BY ALL, QUALIFY, and a name that the SELECT gives in its own WHERE. */
  private friendly(types: readonly FuzzType[], place: Place, from: string, where: string): Omit<Written, 'rows'> {
    const { choices, expressions, names } = this;
    const inner: Place = { ...place, depth: Math.min(place.depth, 1), reach: 'local' };
    const form = choices.below(4);
    const { sql, columns } = this.items(types, (type) => {
      if (form === 0) return this.item(type, place);
      const column = place.scope.column(type, names, choices, 'local');
      if (form === 1) return column === undefined || choices.chance(50) ? expressions.aggregate(type, inner) : column;
      return form === 2 && choices.chance(30) ? expressions.window(type, place) : expressions.value(type, inner);
    });
    if (form === 0) return { sql: `FROM ${from} SELECT ${sql}${where}`, columns };
    if (form === 1) return { sql: `SELECT ${sql} FROM ${from}${where} GROUP BY ALL`, columns };
    const type = choices.pick(TYPES);
    if (form === 2) {
      const qualify = `QUALIFY ${expressions.window(type, place)} ${choices.pick(['<=', '>', '='])} ${expressions.literal(type)}`;
      return { sql: `SELECT ${sql} FROM ${from}${where} ${qualify}`, columns };
    }
    const named = choices.pick(columns);
    const owners = place.scope.relations.filter((one) => one.columns.some(({ name }) => name === named.name));
    if (owners.length > 1) return { sql: `SELECT ${sql} FROM ${from}${where}`, columns };
    const condition = `${names.quoted(named.name)} ${choices.pick(['=', '<>', '>='])} ${expressions.literal(named.type)}`;
    return { sql: `SELECT ${sql} FROM ${from} WHERE ${condition}`, columns };
  }

  private item(type: FuzzType, place: Place): string {
    const whole = type === 'text' && this.choices.chance(10) ? this.choices.pick(place.scope.relations) : undefined;
    const isClear = whole !== undefined && (!this.dialect.isFriendly || namesRow(whole));
    if (!isClear || whole.columns.length === 0) return this.expressions.value(type, place);
    const name = this.names.quoted(whole.name);
    const columns = whole.columns.map((column) => this.names.column(whole, column.name));
    return this.choices.pick(this.dialect.wholeRow(name, columns));
  }

  private grouped(types: readonly FuzzType[], place: Place, rest: string): Omit<Written, 'rows'> {
    const { choices, expressions } = this;
    const keys = choices
      .list(0, 2, () => {
        const type = choices.pick(TYPES);
        return { type, sql: expressions.value(type, { ...place, depth: 0, reach: 'local' }) };
      })
      .filter(({ sql }) => !/^[\d'-]/.test(sql));
    const value = (type: FuzzType) => {
      const same = keys.filter((key) => key.type === type);
      if (same.length > 0 && choices.chance(50)) return choices.pick(same).sql;
      return expressions.aggregate(type, place);
    };
    const items = this.items(types, value);
    const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.map(({ sql }) => sql).join(', ')}`;
    const type = choices.pick(TYPES);
    // A subquery here would see columns outside of their group, so it sees only what is around this SELECT.
    const outside: Place = { scope: new Scope(this.seen(place.scope.outer)), depth: place.depth - 1, reach: 'any' };
    const compared = () =>
      choices.chance(30) && place.depth > 0 ? this.scalar(type, outside) : expressions.literal(type);
    const mayHave = keys.length > 0 || !this.lacks('HAVING of one group');
    const having =
      choices.chance(30) && mayHave ? ` HAVING ${value(type)} ${choices.pick(['>=', '<', '<>'])} ${compared()}` : '';
    return { sql: `SELECT ${items.sql} FROM ${rest}${groupBy}${having}`, columns: items.columns };
  }

  /** Result columns with names of their own. */
  private items(types: readonly FuzzType[], value: (type: FuzzType) => string): Omit<Written, 'rows'> {
    const used = new Set<string>();
    const columns = types.map((type, index): NamedColumn => {
      const name = this.choices.pick(ALIASES[type]);
      const unique = used.has(name) || this.lacks('borrowed aliases') ? `${name}_${index}` : name;
      used.add(unique);
      return { name: unique, type };
    });
    return { sql: columns.map(({ name, type }) => `${value(type)} AS ${this.names.quoted(name)}`).join(', '), columns };
  }

  private values(types: readonly FuzzType[]): Written {
    const rows = this.choices.list(1, 3, () => `(${types.map((type) => this.expressions.literal(type)).join(', ')})`);
    const columns = types.map((type, index) => ({ name: `column${index + 1}`, type }));
    const names = columns.map(({ name }) => name);
    const source = this.dialect.listedRows?.(rows.join(', '), names) ?? `(VALUES ${rows.join(', ')})`;
    return { sql: `SELECT * FROM ${source} AS v`, columns, rows: rows.length };
  }

  private where(scope: Scope, depth: number, percent = 55): string {
    if (!this.choices.chance(percent)) return '';
    return ` WHERE ${this.expressions.condition({ scope, depth: Math.max(0, depth), reach: 'any' })}`;
  }

  private totalOrder(count: number): string {
    const orders = ['', ' DESC', ...(this.lacks('NULLS LAST') ? [] : [' NULLS LAST'])];
    const terms = Array.from({ length: count }, (_, index) => `${index + 1}${this.choices.pick(orders)}`);
    return ` ORDER BY ${terms.join(', ')}`;
  }

  private limit(sql: string): string {
    if (!this.choices.chance(50)) return '';
    const mayOffset = !this.lacks('OFFSET of DISTINCT') || !sql.startsWith('SELECT DISTINCT');
    return ` LIMIT ${1 + this.choices.below(6)}${mayOffset && this.choices.chance(40) ? ` OFFSET ${this.choices.below(3)}` : ''}`;
  }

  // ── WITH ────────────────────────────────────────────────────────────────────────────────────────────────────────

  private with(outer: Scope | undefined, depth: number): string {
    const { choices } = this;
    const around = this.common;
    const free = [...['cte', 'w', 'tree'], ...this.tables.map(({ name }) => name)].filter(
      (name) => !around.taken.some((taken) => taken.toLowerCase() === name.toLowerCase()),
    );
    const count = Math.min(1 + choices.below(2), free.length);
    const start = choices.below(free.length);
    const chosen = Array.from({ length: count }, (_, index) => free[(start + index) % free.length] as string);
    // Some engines let the tables of one WITH see one another in any order, so none of the names means a table here.
    this.common = { tables: around.tables, taken: [...around.taken, ...chosen] };
    const recursive = choices.chance(35);
    const texts = chosen.map((name) => {
      const definition = recursive && choices.chance(70) ? this.recursive(name) : this.definition(name, outer, depth);
      this.common = { ...this.common, tables: [...this.common.tables, definition.relation] };
      return definition.sql;
    });
    return `WITH ${recursive ? 'RECURSIVE ' : ''}${texts.join(', ')} `;
  }

  private definition(name: string, outer: Scope | undefined, depth: number) {
    const { sql, columns, rows } = this.derived(this.seenInFrom(outer), depth);
    const renamed = this.choices.chance(30)
      ? columns.map((column, index) => ({ ...column, name: `c${index}` }))
      : columns;
    const list = renamed === columns ? '' : ` (${renamed.map((column) => column.name).join(', ')})`;
    return { sql: `${this.names.quoted(name)}${list} AS (${sql})`, relation: { name, columns: renamed, rows } };
  }

  /** Numbers counted upwards, or rows that follow one another. */
  private recursive(name: string): { sql: string; relation: Relation } {
    const { choices, names } = this;
    const self = names.quoted(name);
    const table = choices.pick(this.tables);
    const others = table.columns.filter(({ type, name: of }) => type === 'int' && of !== 'id');
    const columns: NamedColumn[] = [
      { name: 'n', type: 'int' },
      { name: 'd', type: 'int' },
    ];
    const relation: Relation = { name, columns, rows: 10 * table.rows.length };
    const source = this.tableName(table);
    const union = this.lacks('UNION in recursion') ? 'UNION ALL' : choices.pick(['UNION', 'UNION ALL']);
    if (others.length === 0) {
      return { sql: `${self} (n, d) AS (SELECT 1, 0 UNION ALL SELECT n + 1, d FROM ${self} WHERE n < 4)`, relation };
    }
    const next = names.quoted(choices.pick(others).name);
    const seed = `SELECT x.id, 0 FROM ${source} AS x WHERE x.${next} IS NULL OR x.${next} < 3`;
    const step = `SELECT x.id, ${self}.d + 1 FROM ${source} AS x JOIN ${self} ON x.${next} = ${self}.n WHERE ${self}.d < 2`;
    return { sql: `${self} (n, d) AS (${seed} ${union} ${step})`, relation };
  }

  /** A SELECT whose columns can all be named from outside, in a fixed number where it has a limit. */
  private derived(outer: Scope | undefined, depth: number): Written {
    const { choices } = this;
    const written = this.select(
      outer,
      depth,
      choices.list(1, 3, () => choices.pick(TYPES)),
    );
    if (!choices.chance(20)) return written;
    return {
      ...written,
      sql: `${written.sql}${this.totalOrder(written.columns.length)} LIMIT ${1 + choices.below(5)}`,
    };
  }

  private lacks(form: FuzzForm): boolean {
    return this.dialect.lacks?.has(form) ?? false;
  }

  /** What is around a subquery, as far as it can be named there. */
  private seen(outer: Scope | undefined): Scope | undefined {
    return this.lacks('outer columns') ? undefined : outer;
  }

  /** What is around a subquery of FROM or WITH, as far as it can be named there. */
  private seenInFrom(outer: Scope | undefined): Scope | undefined {
    return this.lacks('outer columns in FROM') ? undefined : outer;
  }

  // ── FROM ────────────────────────────────────────────────────────────────────────────────────────────────────────

  private from(scope: Scope, depth: number, merges = false): string {
    const { choices } = this;
    let text = this.source(scope, depth);
    const joins = depth < 0 ? 0 : choices.pick([0, 0, 1, 1, 2, 3]);
    const commas = choices.chance(20);
    for (let index = 0; index < joins && scope.work < MOST_WORK; index += 1) {
      const left = scope.relations.slice();
      const lateral = this.dialect.hasLateral && choices.chance(10);
      const right = lateral ? this.lateral(scope, depth) : this.source(scope, depth - 1);
      const relation = scope.relations.at(-1) as Relation;
      if (commas) {
        text += `, ${right}`;
        continue;
      }
      if (this.dialect.isFriendly && !lateral && choices.chance(20)) {
        text += this.friendlyJoin(scope, left, relation, right);
        continue;
      }
      const shared = relation.columns.filter(({ name }) =>
        left.every(({ columns }) => columns.some((of) => of.name === name)),
      );
      const kind = choices.pick(lateral ? ['JOIN', 'LEFT JOIN'] : this.kinds);
      if (kind === 'CROSS JOIN') text += ` CROSS JOIN ${right}`;
      else if (merges && joins === 1 && shared.length > 0 && choices.chance(60)) {
        const using = choices.pick(shared).name;
        text += choices.chance(50)
          ? ` NATURAL ${kind} ${right}`
          : ` ${kind} ${right} USING (${this.names.quoted(using)})`;
      } else
        text += ` ${kind} ${right} ON ${this.on(scope, left, relation, lateral && this.dialect.isFriendly ? 'LATERAL' : kind)}`;
      if (index === 0 && joins > 1 && choices.chance(20) && !this.lacks('joins in parentheses')) text = `(${text})`;
    }
    return text;
  }

  /** Joins that show only the left rows, or that go by the place of a row. */
  private friendlyJoin(scope: Scope, left: readonly Relation[], relation: Relation, right: string): string {
    const { choices, names } = this;
    const kind = choices.pick(['SEMI', 'ANTI', 'POSITIONAL', 'ASOF', 'ASOF LEFT']);
    const on = () => ` ON ${this.on(scope, left, relation, 'JOIN')}`;
    const inOrder = left.length === 1 && [...left, relation].every(({ isTable }) => isTable);
    if (kind === 'POSITIONAL') return inOrder ? ` POSITIONAL JOIN ${right}` : ` JOIN ${right}${on()}`;
    if (kind === 'SEMI' || kind === 'ANTI') {
      const namesake = choices.chance(60) ? this.namesake(scope, relation) : undefined;
      const text = ` ${kind} JOIN ${namesake?.sql ?? right} ON ${this.on(scope, left, namesake?.relation ?? relation, 'JOIN')}`;
      scope.hide(namesake?.relation ?? relation);
      return text;
    }
    const ints = left.flatMap((one) =>
      one.columns.flatMap(({ name, type }) => (type === 'int' ? [names.column(one, name)] : [])),
    );
    if (ints.length === 0) return ` JOIN ${right}${on()}`;
    scope.hide(relation);
    const table = choices.pick(this.tables);
    const nearest = asofSource(this.tableName(table), table, this.alias(scope), choices, names);
    scope.relations.push({ ...nearest.relation, rows: 1 });
    const [key] = nearest.relation.columns;
    return ` ${kind} JOIN ${nearest.sql} ON ${choices.pick(ints)} >= ${names.column(nearest.relation, key?.name ?? '')}`;
  }

  /** In the source's place, one under a name from further out, which means that again after the join. */
  private namesake(scope: Scope, replaced: Relation): { sql: string; relation: Relation } | undefined {
    const { choices } = this;
    const names = scope.namesOutside();
    if (names.length === 0) return undefined;
    const table = choices.pick(this.tables);
    const relation: Relation = { ...relationOf(table), name: choices.pick(names) };
    scope.hide(replaced);
    scope.relations.push(relation);
    return { sql: `${this.tableName(table)} AS ${this.names.quoted(relation.name)}`, relation };
  }

  /** Equal columns, which every kind of join can have; besides, sometimes, any condition. */
  private on(scope: Scope, left: readonly Relation[], right: Relation, kind: string): string {
    const { choices, names } = this;
    const pairs = left.flatMap((relation) =>
      relation.columns.flatMap((a) =>
        right.columns.flatMap((b) =>
          a.type === b.type ? [`${names.column(relation, a.name)} = ${names.column(right, b.name)}`] : [],
        ),
      ),
    );
    const equal = pairs.length === 0 ? '1 = 1' : choices.pick(pairs);
    if (kind === 'FULL JOIN' || this.lacks('conditions of joins') || !choices.chance(35)) return equal;
    // DuckDB joins what is correlated by equality only.
    if (kind === 'LATERAL') return equal;
    const isPlain = this.dialect.isFriendly && (kind !== 'JOIN' || !choices.chance(20));
    const reach = isPlain ? 'local' : 'any';
    return `${equal} ${choices.pick(['AND', 'OR'])} ${this.expressions.condition({ scope: scope.soFar(), depth: 1, reach })}`;
  }

  private lateral(scope: Scope, depth: number): string {
    if (this.dialect.isFriendly && this.choices.chance(40)) {
      const name = this.alias(scope);
      const { sql, relation } = friendlyUnnest(scope, name, this.choices, this.names);
      scope.relations.push(relation);
      return sql;
    }
    const { sql, columns, rows } = this.derived(scope.soFar(), depth - 1);
    const name = this.alias(scope);
    scope.relations.push({ name, columns, rows });
    return `LATERAL (${sql}) AS ${this.names.quoted(name)}`;
  }

  private source(scope: Scope, depth: number): string {
    const { choices, names, common } = this;
    const form = choices.below(depth > 0 && scope.work < MOST_WORK ? 10 : 7);
    if (form >= 7) {
      const { sql, columns, rows } = this.derived(this.seenInFrom(scope.outer), depth - 1);
      const name = this.alias(scope);
      scope.relations.push({ name, columns, rows });
      return `(${sql}) AS ${names.quoted(name)}`;
    }
    if (form >= 4 && common.tables.length > 0) {
      const table = choices.pick(common.tables);
      return this.named(scope, names.quoted(table.name), table);
    }
    const table = choices.pick(this.tables);
    return this.named(scope, this.tableName(table), { ...relationOf(table), isBare: true, isTable: true });
  }

  private named(scope: Scope, source: string, relation: Relation): string {
    if (!scope.has(relation.name) && this.choices.chance(40)) {
      scope.relations.push(relation);
      return source;
    }
    const alias = this.alias(scope);
    scope.relations.push({ ...relation, name: alias, isBare: false });
    return `${source} ${this.choices.pick(['AS ', ''])}${this.names.quoted(alias)}`;
  }

  /** A new name, or that of some table, as long as the FROM has it only once. */
  private alias(scope: Scope): string {
    const borrowed = this.choices.pick(this.tables).name;
    if (!this.lacks('borrowed aliases') && this.choices.chance(20) && !scope.has(borrowed)) return borrowed;
    this.aliases += 1;
    return `s${this.aliases}`.replace(
      /\d+/,
      (digits) => 'abcdefghij'[Number(digits) % 10] + 'x'.repeat(Number(digits) / 10),
    );
  }

  /** Qualified where a common table of that name hides it. */
  private tableName({ name }: { readonly name: string }): string {
    const hidden = this.common.taken.some((taken) => taken.toLowerCase() === name.toLowerCase());
    if (!hidden && !this.choices.chance(15)) return this.names.quoted(name);
    return `${this.names.quoted(this.dialect.schema)}.${this.names.quoted(name)}`;
  }
}

const relationOf = ({ name, columns, rows }: Table): Relation => ({ name, columns, rows: rows.length });
