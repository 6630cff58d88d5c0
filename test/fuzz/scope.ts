import type { Choices } from './choices.ts';
import type { FuzzDialect, FuzzType } from './engine.ts';

export interface NamedColumn {
  readonly name: string;
  readonly type: FuzzType;
}

/** A source of FROM as the clauses of its SELECT see it. */
export interface Relation {
  readonly name: string;
  readonly columns: readonly NamedColumn[];
  /** A table under its own name, so that the schema may stand before it. */
  readonly isBare?: boolean;
  /** A table of the database, whose rows have an order of their own. */
  readonly isTable?: boolean;
  /** At most about so many rows. */
  readonly rows: number;
}

/** What a clause can name: the sources of the same SELECT, and those of the SELECTs around it. */
export class Scope {
  readonly relations: Relation[] = [];
  readonly outer: Scope | undefined;
  /** Names with which something inside has named a source further out; one here would now take their meaning. */
  private reached = new Set<string>();
  private isComplete = true;

  constructor(outer: Scope | undefined) {
    this.outer = outer;
  }

  /** At most about so many combinations of rows that what stands here is worked out for. */
  get work(): number {
    return this.relations.reduce((product, { rows }) => product * Math.max(1, rows), this.outer?.work ?? 1);
  }

  /** What a condition or a lateral subquery amid FROM sees: the sources so far. */
  soFar(): Scope {
    const scope = new Scope(this.outer);
    scope.relations.push(...this.relations);
    scope.reached = this.reached;
    scope.isComplete = false;
    return scope;
  }

  /** Whether the name cannot be given to a further source. */
  has(name: string): boolean {
    const key = name.toLowerCase();
    return this.reached.has(key) || this.relations.some((relation) => relation.name.toLowerCase() === key);
  }

  /** Names of sources further out that a source here can take. */
  namesOutside(): string[] {
    const names: string[] = [];
    for (let { outer } = this; outer !== undefined; outer = outer.outer) {
      names.push(...outer.relations.map(({ name }) => name).filter((name) => !this.has(name)));
    }
    return names;
  }

  /** Takes out a source that nothing after its join can name; the name is free for a further one. */
  hide(relation: Relation): void {
    this.relations.splice(this.relations.indexOf(relation), 1);
  }

  /** Every column of this SELECT, which makes an order total. */
  all(names: Names): string[] {
    return this.relations.flatMap((relation) => relation.columns.map(({ name }) => names.column(relation, name)));
  }

  /** A reference to a column of the type, here or further out, or `undefined` when there is none. */
  column(type: FuzzType, names: Names, choices: Choices, reach: 'local' | 'any'): string | undefined {
    const found = this.relations.flatMap((relation) =>
      relation.columns.flatMap((column) => (column.type === type ? [{ relation, name: column.name }] : [])),
    );
    if (reach === 'any' && (found.length === 0 || choices.chance(15))) {
      const further = this.outward(type);
      if (further.length > 0) {
        const { relation, name } = choices.pick(further);
        this.reach(relation.name);
        return names.column(relation, name);
      }
    }
    if (found.length === 0) return undefined;
    const { relation, name } = choices.pick(found);
    const isUnique =
      this.relations.flatMap(({ columns }) => columns).filter((column) => same(column.name, name)).length === 1;
    return isUnique && this.isComplete && choices.chance(25) ? names.quoted(name) : names.column(relation, name);
  }

  private reach(relation: string): void {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.outer) {
      if (scope.relations.some(({ name }) => same(name, relation))) return;
      scope.reached.add(relation.toLowerCase());
    }
  }

  private outward(type: FuzzType): { relation: Relation; name: string }[] {
    const shadowed = new Set(this.relations.map(({ name }) => name.toLowerCase()));
    const found: { relation: Relation; name: string }[] = [];
    for (let scope = this.outer; scope !== undefined; scope = scope.outer) {
      for (const relation of scope.relations) {
        if (shadowed.has(relation.name.toLowerCase())) continue;
        for (const column of relation.columns) if (column.type === type) found.push({ relation, name: column.name });
      }
      for (const { name } of scope.relations) shadowed.add(name.toLowerCase());
    }
    return found;
  }
}

/** Whether the name alone can only mean the whole row: no column is ever called so. */
export const namesRow = ({ name }: Relation) => /^s[a-j]x*$/.test(name);

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Names in SQL, in one of the spellings that mean the same. */
export class Names {
  private readonly choices: Choices;
  private readonly dialect: FuzzDialect;

  constructor(choices: Choices, dialect: FuzzDialect) {
    this.choices = choices;
    this.dialect = dialect;
  }

  quoted(name: string): string {
    const plain = /^[a-z_]+$/.test(name) && !['order', 'group', 'select'].includes(name);
    if (plain && !this.choices.chance(15))
      return this.dialect.ignoresCase && this.choices.chance(10) ? name.toUpperCase() : name;
    return this.dialect.quote(name);
  }

  /** The column as a part of the whole row. */
  private part(row: string, name: string): string {
    const text = `'${name.replaceAll("'", "''")}'`;
    return this.choices.pick([`(${row}).${this.quoted(name)}`, `${row}[${text}]`, `struct_extract(${row}, ${text})`]);
  }

  column(relation: Relation, name: string): string {
    // DuckDB looks for `table.column` among the columns of a nearer SELECT first, as a part of a column of that name.
    const canHaveSchema = relation.isBare && !(this.dialect.isFriendly && relation.name === 'group');
    const schema = canHaveSchema && this.choices.chance(15) ? `${this.quoted(this.dialect.schema)}.` : '';
    if (this.dialect.isFriendly && namesRow(relation) && this.choices.chance(4))
      return this.part(this.quoted(relation.name), name);
    return `${schema}${this.quoted(relation.name)}.${this.quoted(name)}`;
  }
}
