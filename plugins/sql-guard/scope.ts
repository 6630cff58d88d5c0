import { fold } from './dialect.ts';
import type { AllowedTable } from './tables.ts';

/** What a name in front of a dot may mean: a source of FROM under the name it goes by. */
export interface Relation {
  /** In lower case. */
  readonly name: string;
  /** `undefined`: a subquery, common table or table function, whose columns are not looked into. */
  readonly table: AllowedTable | undefined;
  /** A table as it stands in the database, with the engine's own columns. */
  readonly isWhole: boolean;
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

  add(name: string, table: AllowedTable | undefined, isWhole = false): void {
    this.relations.push({ name: fold(name), table, isWhole });
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

/** How the names of common tables are compared: to the letter, in any case, or the one or the other by server. */
export type CommonNameCase = 'exact' | 'any' | 'unclear';

/** The common tables that one WITH brings into sight, and around it those of the WITHs further out. */
export class CommonNames {
  private readonly names: ReadonlySet<string>;
  private readonly outer: CommonNames | undefined;
  private readonly nameCase: CommonNameCase;
  private readonly meaning: 'common' | 'unclear';

  /** `areUnclear`: servers do not agree whether these can be seen. */
  constructor(names: readonly string[], outer: CommonNames | undefined, nameCase: CommonNameCase, areUnclear: boolean) {
    this.names = new Set(
      nameCase === 'exact' ? names : nameCase === 'any' ? names.map(fold) : [...names, ...names.map(spelled)],
    );
    this.outer = outer;
    this.nameCase = nameCase;
    this.meaning = areUnclear ? 'unclear' : 'common';
  }

  /** What the name means here; `undefined` when it is no common table. */
  find(name: string): 'common' | 'unclear' | undefined {
    if (this.names.has(this.nameCase === 'any' ? fold(name) : name)) return this.meaning;
    return this.nameCase === 'unclear' && this.names.has(spelled(name)) ? 'unclear' : this.outer?.find(name);
  }
}

/** A key that no name has, alike for the spellings of one name. */
const spelled = (name: string) => `\0${fold(name)}`;
