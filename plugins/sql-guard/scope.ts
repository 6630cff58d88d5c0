import { fold } from './dialect.ts';
import type { AllowedTable } from './tables.ts';

/** What a name in front of a dot may mean: a source of FROM under the name it goes by. */
export interface Relation {
  /** In lower case. */
  readonly name: string;
  /** `undefined`: a subquery, common table or table function, whose columns are not looked into. */
  readonly table: AllowedTable | undefined;
}

/** The names that the clauses of one SELECT can see. */
export class Scope {
  readonly outer: Scope | undefined;
  /** Common tables of this SELECT's WITH and of those around it, innermost first. */
  readonly common: CommonNames | undefined;
  readonly relations: Relation[] = [];
  /** Names that the SELECT gives to its own columns, in lower case. */
  readonly aliases = new Set<string>();

  constructor(outer: Scope | undefined, common: CommonNames | undefined) {
    this.outer = outer;
    this.common = common;
  }

  add(name: string, table: AllowedTable | undefined): void {
    this.relations.push({ name: fold(name), table });
  }

  /** The nearest relation that goes by `name`. */
  relation(name: string): Relation | undefined {
    const wanted = fold(name);
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.outer) {
      const found = scope.relations.find((relation) => relation.name === wanted);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The common tables that one WITH brings into sight, and around it those of the WITHs further out. */
export class CommonNames {
  private readonly names: ReadonlySet<string>;
  private readonly outer: CommonNames | undefined;

  constructor(names: readonly string[], outer: CommonNames | undefined) {
    this.names = new Set(names.map(fold));
    this.outer = outer;
  }

  has(name: string): boolean {
    return this.names.has(fold(name)) || (this.outer?.has(name) ?? false);
  }
}
