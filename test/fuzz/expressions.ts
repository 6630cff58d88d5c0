import type { Choices } from './choices.ts';
import type { FuzzDialect, FuzzType } from './engine.ts';
import type { Names, Scope } from './scope.ts';

export const TYPES: readonly FuzzType[] = ['int', 'text', 'real'];

/** Where an expression stands. */
export interface Place {
  readonly scope: Scope;
  readonly depth: number;
  readonly reach: 'local' | 'any';
}

/** Subqueries, which only a writer of statements can make. */
export interface Subqueries {
  /** At most one row with one value. */
  scalar(type: FuzzType, place: Place): string;
  /** `(SELECT …)` of columns of these types. */
  rows(types: readonly FuzzType[], place: Place): string;
  exists(place: Place): string;
  /** A table whose visible columns have just these types, or `undefined`. */
  table(types: readonly FuzzType[]): string | undefined;
}

/** Expressions without errors that depend on the data: no division, small numbers, no conversions that can fail. */
export class Expressions {
  private readonly choices: Choices;
  private readonly dialect: FuzzDialect;
  private readonly names: Names;
  private readonly subqueries: Subqueries;

  constructor(choices: Choices, dialect: FuzzDialect, names: Names, subqueries: Subqueries) {
    this.choices = choices;
    this.dialect = dialect;
    this.names = names;
    this.subqueries = subqueries;
  }

  literal(type: FuzzType): string {
    const { choices } = this;
    if (type === 'int') return String(choices.below(7));
    if (type === 'real') return choices.pick(['0.5', '1.0', '2.5']);
    return choices.pick(["'a'", "'b'", "''", "'it''s'", "'***'", "'a*'", "'acme'", "'some'"]);
  }

  value(type: FuzzType, place: Place): string {
    const { choices } = this;
    const column = place.scope.column(type, this.names, choices, place.reach);
    const leaf = column ?? this.literal(type);
    if (place.depth <= 0 || !choices.chance(55)) return choices.chance(10) ? this.literal(type) : leaf;
    const inner = { ...place, depth: place.depth - 1 };
    const operand = () => this.value(type, inner);
    const common = [
      () => `coalesce(${leaf}, ${operand()})`,
      () => `CASE WHEN ${this.condition(inner)} THEN ${operand()} ELSE ${leaf} END`,
      () => `CASE ${leaf} WHEN ${this.literal(type)} THEN ${operand()} END`,
      () => `nullif(${leaf}, ${this.literal(type)})`,
      () => (place.reach === 'any' ? this.subqueries.scalar(type, inner) : leaf),
      () => (place.reach === 'any' ? this.subqueries.scalar(type, inner) : leaf),
    ];
    const own = {
      int: [
        () => `(${leaf} + ${operand()})`,
        () => `(${operand()} - ${leaf})`,
        () => `${leaf} * 2`,
        () => `abs(${operand()})`,
        () => `length(${this.value('text', inner)})`,
        () => `CASE WHEN ${this.condition(inner)} THEN 1 ELSE 0 END`,
      ],
      real: [() => `(${leaf} + ${operand()})`, () => `(${operand()} - ${leaf})`, () => `${leaf} * 2`],
      text: [
        () => this.joined(leaf, operand()),
        () => `upper(${operand()})`,
        () => `substr(${leaf}, 1, 2)`,
        () => `replace(${leaf}, 'a', ${this.literal('text')})`,
        () => `CAST(${this.value('int', inner)} AS ${this.castType('text')})`,
      ],
    }[type];
    const friendly = [
      () => `list_transform([${leaf}], x -> x)[1]`,
      () => `[${operand()}, ${leaf}][2]`,
      () => `{'k': ${leaf}}.k`,
      () => `[x FOR x IN [${leaf}, ${operand()}] IF x IS NOT NULL][1]`,
      () => `(${operand()})::${this.dialect.types[type]}`,
      () => `list_reduce([${leaf}, ${leaf}], LAMBDA x, y: y)`,
    ];
    return choices.pick(this.dialect.isFriendly ? [...own, ...common, ...friendly] : [...own, ...common])();
  }

  /** What CAST calls the type. */
  private castType(type: FuzzType): string {
    return (this.dialect.casts ?? this.dialect.types)[type];
  }

  private joined(a: string, b: string): string {
    return this.dialect.joined?.(a, b) ?? `(${a} || ${b})`;
  }

  private distinct(a: string, not: string, b: string): string {
    const own = this.dialect.distinct?.(a, b);
    return own === undefined ? `${a} IS ${not}DISTINCT FROM ${b}` : `${not}${own}`;
  }

  condition(place: Place): string {
    const { choices } = this;
    const inner = { ...place, depth: place.depth - 1 };
    const type = choices.pick(TYPES);
    const value = () => this.value(type, inner);
    if (place.depth <= 0) return `${value()} ${choices.pick(['=', '<>', '<', '>='])} ${this.value(type, inner)}`;
    const operator = () => choices.pick(['=', '<>', '<', '<=', '>', '>=']);
    const not = choices.chance(30) ? 'NOT ' : '';
    const forms = [
      () => `${value()} ${operator()} ${value()}`,
      () => `${value()} IS ${not}NULL`,
      () => `(${this.condition(inner)} OR ${this.condition(inner)})`,
      () => `(${this.condition(inner)} AND ${this.condition(inner)})`,
      () => `NOT (${this.condition(inner)})`,
      () => `${value()} ${not}BETWEEN ${value()} AND ${value()}`,
      () => `${value()} ${not}IN (${choices.list(1, 3, value).join(', ')})`,
      () => this.distinct(value(), not, value()),
      () => `${this.value('text', inner)} ${not}LIKE ${choices.pick(["'a%'", "'%*'", "'_'", "'%s%'"])}`,
      () => `(${this.value('int', inner)}, ${value()}) = (${this.value('int', inner)}, ${value()})`,
    ];
    if (place.reach === 'any') {
      // DuckDB has no correlated subqueries of several columns.
      const several = choices.list(1, this.dialect.isFriendly && choices.chance(75) ? 1 : 2, () => choices.pick(TYPES));
      const left: Place = this.dialect.lacks?.has('subquery IN subquery') ? { ...inner, reach: 'local' } : inner;
      const row = () => {
        const values = several.map((of) => this.value(of, left));
        return values.length === 1 ? values[0] : `(${values.join(', ')})`;
      };
      forms.push(
        () => `${not}EXISTS (${this.subqueries.exists(inner)})`,
        () => `${not}EXISTS (${this.subqueries.exists(inner)})`,
        () => `${row()} ${not}IN ${this.subqueries.rows(several, inner)}`,
        () => `${value()} ${operator()} ${this.subqueries.scalar(type, inner)}`,
      );
      if (this.dialect.hasQuantified) {
        forms.push(
          () => `${value()} ${operator()} ${choices.pick(['ANY', 'ALL'])} ${this.subqueries.rows([type], inner)}`,
        );
      }
      const table = this.dialect.hasInTable ? this.subqueries.table(several) : undefined;
      if (table !== undefined) forms.push(() => `${row()} ${not}IN ${table}`);
    }
    return choices.pick(forms)();
  }

  /** An aggregate over the rows of a group. Its argument stays inside the SELECT: otherwise it is another one's. */
  aggregate(type: FuzzType, place: Place): string {
    const { choices } = this;
    const own: Place = { ...place, reach: 'local', depth: Math.min(place.depth, 1) };
    const argument = (of: FuzzType) => place.scope.column(of, this.names, choices, 'local') ?? this.literal(of);
    const filter =
      !this.dialect.lacks?.has('FILTER') && choices.chance(25) ? ` FILTER (WHERE ${this.condition(own)})` : '';
    const distinct = choices.chance(25) ? 'DISTINCT ' : '';
    const extreme = choices.pick(['max', 'min']);
    if (type === 'text') {
      if (choices.chance(40)) {
        const value = argument('text');
        return this.dialect.listed(value, value) + filter;
      }
      return `${extreme}(${argument('text')})${filter}`;
    }
    if (type === 'real') return `${choices.pick(['sum', extreme])}(${distinct}${argument('real')})${filter}`;
    const counted = choices.pick(TYPES);
    return choices.pick([
      () => `count(*)${filter}`,
      () => `count(${distinct}${argument(counted)})${filter}`,
      () => `${extreme}(${argument('int')})${filter}`,
      () => `CAST(coalesce(sum(${distinct}${argument('int')})${filter}, 0) AS ${this.castType('int')})`,
    ])();
  }

  /** A window function whose value does not depend on the order of equal rows. */
  window(type: FuzzType, { scope }: Place): string {
    const { choices, names } = this;
    const all = scope.all(names);
    // Some engines do not know the type of a bare literal in a window function.
    const known = (value: string) => `CAST(${value} AS ${this.castType(type)})`;
    const column = scope.column(type, names, choices, 'local');
    const isKnown = column !== undefined && !this.dialect.hasNotNull;
    const argument = isKnown ? column : known(column ?? this.literal(type));
    const partition = choices.chance(50) && all.length > 0 ? `PARTITION BY ${choices.pick(all)} ` : '';
    const total = all.length > 0 ? `ORDER BY ${all.join(', ')}` : '';
    const peers = all.length > 0 ? `ORDER BY ${choices.pick(all)}${choices.pick(['', ' DESC'])}` : '';
    const frame = choices.pick([
      '',
      ' ROWS BETWEEN 1 PRECEDING AND CURRENT ROW',
      ' ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING',
    ]);
    const over = (order: string, more = '') => `OVER (${partition}${order}${order === '' ? '' : more})`;
    const anyType = [
      () => `${choices.pick(['lag', 'lead'])}(${argument}) ${over(total)}`,
      () => `${choices.pick(['max', 'min'])}(${argument}) ${over(peers)}`,
      () => `${choices.pick(['first_value', 'last_value'])}(${argument}) ${over(total, frame)}`,
    ];
    if (type !== 'int') return choices.pick(anyType)();
    const forInt = [
      () => `CAST(${choices.pick(['row_number()', 'ntile(2)'])} ${over(total)} AS ${this.castType('int')})`,
      () => `CAST(${choices.pick(['rank()', 'dense_rank()'])} ${over(peers)} AS ${this.castType('int')})`,
      () => `CAST(count(*) ${over(peers)} AS ${this.castType('int')})`,
      () => `CAST(sum(${argument}) ${over(total, frame)} AS ${this.castType('int')})`,
    ];
    return choices.pick([...forInt, ...anyType])();
  }
}
