/** Random valid statements over a world's tables. What an actor may not see is never named by them. */
import type { Choices } from './choices.ts';
import type { FuzzDialect, FuzzType } from './engine.ts';
import { Expressions, type Place, type Subqueries, TYPES } from './expressions.ts';
import { type NamedColumn, Names, type Relation, Scope } from './scope.ts';
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
  private common: Common = { tables: [], taken: [] };
  private aliases = 0;

  constructor(choices: Choices, tables: readonly Table[], dialect: FuzzDialect) {
    this.choices = choices;
    this.tables = tables;
    this.dialect = dialect;
    this.names = new Names(choices, dialect);
    this.expressions = new Expressions(choices, dialect, this.names, this);
  }

  statement(): Query {
    const { choices } = this;
    const depth = 1 + choices.below(3);
    if (choices.chance(15)) return this.starred(depth);
    const { sql, columns } = this.select(undefined, depth);
    if (!choices.chance(50)) return { sql, ordered: false };
    return { sql: sql + this.totalOrder(columns.length) + this.limit(), ordered: true };
  }

  /** `SELECT *` over joins that merge columns: how many there are is left to the engine. */
  private starred(depth: number): Query {
    const scope = new Scope(undefined);
    const from = this.from(scope, depth, true);
    const star = this.choices.chance(50) ? '*' : `${this.names.quoted(this.choices.pick(scope.relations).name)}.*`;
    return { sql: `SELECT ${star} FROM ${from}${this.where(scope, depth)}`, ordered: false };
  }

  // ── subqueries in expressions ───────────────────────────────────────────────────────────────────────────────────

  scalar(type: FuzzType, place: Place): string {
    const scope = new Scope(place.scope);
    const from = this.from(scope, place.depth - 1);
    const where = this.where(scope, place.depth);
    const inner: Place = { scope, depth: place.depth - 1, reach: 'any' };
    if (this.choices.chance(60)) return `(SELECT ${this.expressions.aggregate(type, inner)} FROM ${from}${where})`;
    return `(SELECT ${this.expressions.value(type, inner)} AS v FROM ${from}${where} ORDER BY 1 LIMIT 1)`;
  }

  rows(types: readonly FuzzType[], place: Place): string {
    return `(${this.select(place.scope, place.depth - 1, types).sql})`;
  }

  exists(place: Place): string {
    const scope = new Scope(place.scope);
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
    let { sql, rows } = first;
    const types = first.columns.map(({ type }) => type);
    const operators = ['UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT'];
    if (this.dialect.hasSetAll) operators.push('INTERSECT ALL', 'EXCEPT ALL');
    if (depth > 0 && types.length > 0 && choices.chance(20)) {
      for (let more = 1 + choices.below(2); more > 0; more -= 1) {
        const further = this.core(outer, depth - 1, types);
        sql += ` ${choices.pick(operators)} ${further.sql}`;
        rows += further.rows;
      }
    }
    if (withClause !== '') this.common = around;
    return { sql: withClause + sql, columns: first.columns, rows };
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

  private item(type: FuzzType, place: Place): string {
    const whole = type === 'text' && this.choices.chance(10) ? this.choices.pick(place.scope.relations) : undefined;
    if (whole === undefined || whole.columns.length === 0) return this.expressions.value(type, place);
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
    const outside: Place = { scope: new Scope(place.scope.outer), depth: place.depth - 1, reach: 'any' };
    const compared = () =>
      choices.chance(30) && place.depth > 0 ? this.scalar(type, outside) : expressions.literal(type);
    const having = choices.chance(30) ? ` HAVING ${value(type)} ${choices.pick(['>=', '<', '<>'])} ${compared()}` : '';
    return { sql: `SELECT ${items.sql} FROM ${rest}${groupBy}${having}`, columns: items.columns };
  }

  /** Result columns with names of their own. */
  private items(types: readonly FuzzType[], value: (type: FuzzType) => string): Omit<Written, 'rows'> {
    const used = new Set<string>();
    const columns = types.map((type, index): NamedColumn => {
      const name = this.choices.pick(ALIASES[type]);
      const unique = used.has(name) ? `${name}_${index}` : name;
      used.add(unique);
      return { name: unique, type };
    });
    return { sql: columns.map(({ name, type }) => `${value(type)} AS ${this.names.quoted(name)}`).join(', '), columns };
  }

  private values(types: readonly FuzzType[]): Written {
    const rows = this.choices.list(1, 3, () => `(${types.map((type) => this.expressions.literal(type)).join(', ')})`);
    const columns = types.map((type, index) => ({ name: `column${index + 1}`, type }));
    return { sql: `SELECT * FROM (VALUES ${rows.join(', ')}) AS v`, columns, rows: rows.length };
  }

  private where(scope: Scope, depth: number, percent = 55): string {
    if (!this.choices.chance(percent)) return '';
    return ` WHERE ${this.expressions.condition({ scope, depth: Math.max(0, depth), reach: 'any' })}`;
  }

  private totalOrder(count: number): string {
    const terms = Array.from(
      { length: count },
      (_, index) => `${index + 1}${this.choices.pick(['', ' DESC', ' NULLS LAST'])}`,
    );
    return ` ORDER BY ${terms.join(', ')}`;
  }

  private limit(): string {
    if (!this.choices.chance(50)) return '';
    return ` LIMIT ${1 + this.choices.below(6)}${this.choices.chance(40) ? ` OFFSET ${this.choices.below(3)}` : ''}`;
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
    const { sql, columns, rows } = this.derived(outer, depth);
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
    const union = choices.pick(['UNION', 'UNION ALL']);
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
      const shared = relation.columns.filter(({ name }) =>
        left.every(({ columns }) => columns.some((of) => of.name === name)),
      );
      const kind = choices.pick(
        lateral ? ['JOIN', 'LEFT JOIN'] : ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN'],
      );
      if (kind === 'CROSS JOIN') text += ` CROSS JOIN ${right}`;
      else if (merges && joins === 1 && shared.length > 0 && choices.chance(60)) {
        const using = choices.pick(shared).name;
        text += choices.chance(50)
          ? ` NATURAL ${kind} ${right}`
          : ` ${kind} ${right} USING (${this.names.quoted(using)})`;
      } else text += ` ${kind} ${right} ON ${this.on(scope, left, relation, kind)}`;
      if (index === 0 && joins > 1 && choices.chance(20)) text = `(${text})`;
    }
    return text;
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
    if (kind === 'FULL JOIN' || !choices.chance(35)) return equal;
    return `${equal} ${choices.pick(['AND', 'OR'])} ${this.expressions.condition({ scope: scope.soFar(), depth: 1, reach: 'any' })}`;
  }

  private lateral(scope: Scope, depth: number): string {
    const { sql, columns, rows } = this.derived(scope.soFar(), depth - 1);
    const name = this.alias(scope);
    scope.relations.push({ name, columns, rows });
    return `LATERAL (${sql}) AS ${this.names.quoted(name)}`;
  }

  private source(scope: Scope, depth: number): string {
    const { choices, names, common } = this;
    const form = choices.below(depth > 0 && scope.work < MOST_WORK ? 10 : 7);
    if (form >= 7) {
      const { sql, columns, rows } = this.derived(scope.outer, depth - 1);
      const name = this.alias(scope);
      scope.relations.push({ name, columns, rows });
      return `(${sql}) AS ${names.quoted(name)}`;
    }
    if (form >= 4 && common.tables.length > 0) {
      const table = choices.pick(common.tables);
      return this.named(scope, names.quoted(table.name), table);
    }
    const table = choices.pick(this.tables);
    return this.named(scope, this.tableName(table), { ...relationOf(table), isBare: true });
  }

  private named(scope: Scope, source: string, relation: Relation): string {
    if (!scope.has(relation.name) && this.choices.chance(40)) {
      scope.relations.push(relation);
      return source;
    }
    const alias = this.alias(scope);
    scope.relations.push({ name: alias, columns: relation.columns, rows: relation.rows });
    return `${source} ${this.choices.pick(['AS ', ''])}${this.names.quoted(alias)}`;
  }

  /** A new name, or that of some table, as long as the FROM has it only once. */
  private alias(scope: Scope): string {
    const borrowed = this.choices.pick(this.tables).name;
    if (this.choices.chance(20) && !scope.has(borrowed)) return borrowed;
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
