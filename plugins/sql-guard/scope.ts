/** Holds the names that the clauses of a SELECT see. */
import { fold, type Join, type SqlDialect } from '../sql-kit/index.ts';
import type { AllowedTable } from './allowed-tables.ts';

/** What a name in front of a dot may mean: a source of FROM under the name it goes by. */
export interface Relation {
  /** In lower case. */
  readonly name: string;
  /** `undefined`: a subquery, common table or table function, whose columns are not looked into. */
  readonly table: AllowedTable | undefined;
  /** A table as it stands in the database, with the engine's own columns. */
  readonly isWhole: boolean;
  /** Schema of such a table without alias: the engine tells by it which of two of one name is meant. */
  readonly schema: string | undefined;
}

/** The names that the clauses of one SELECT can see. */
export class Scope {
  readonly outer: Scope | undefined;
  /** Common tables of this SELECT's WITH and of those around it, innermost first. */
  readonly common: CommonNames | undefined;
  /** Those in sight. */
  readonly relations: Relation[] = [];
  /** How many were ever in sight. */
  count = 0;
  /** Increases whenever the visible relations change. */
  version = 0;
  /** Names that the SELECT gives to its own columns, in lower case. */
  readonly aliases = new Set<string>();

  constructor(outer: Scope | undefined, common: CommonNames | undefined) {
    this.outer = outer;
    this.common = common;
  }

  add(name: string, table: AllowedTable | undefined, isWhole = false, schema?: string): void {
    this.relations.push({ name: fold(name), table, isWhole, schema });
    this.count += 1;
    this.version += 1;
  }

  /** Takes all relations from the place `start` on out of sight. */
  hide(start: number): void {
    this.relations.length = start;
    this.version += 1;
  }

  /** Lets all relations from the place `start` on go by one name, which is that of the whole. */
  rename(start: number, name: string): void {
    for (const relation of this.relations.splice(start)) {
      this.relations.push({ ...relation, name: fold(name), schema: undefined });
    }
    this.version += 1;
  }

  /** A name that relations on both sides of a join go by, which are those from `start` and those from `middle` on. */
  sharedName(start: number, middle: number): string | undefined {
    const left = this.relations.slice(start, middle);
    const isShared = (one: Relation) => left.some(({ name, schema }) => name === one.name && schema === one.schema);
    return this.relations.slice(middle).find((one) => one.name !== '' && isShared(one))?.name;
  }

  /** The nearest relation that goes by `name`. */
  relation(name: string): Relation | undefined {
    return this.named(name)[0];
  }

  /** Relations that go by `name`, the nearest first; of one SELECT that is the last, as a condition amid FROM means it. */
  named(name: string): readonly Relation[] {
    const wanted = fold(name);
    const found: Relation[] = [];
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.outer) {
      for (let index = scope.relations.length - 1; index >= 0; index -= 1) {
        const relation = scope.relations[index]!;
        if (relation.name === wanted) found.push(relation);
      }
    }
    return found;
  }
}

/** Whether nothing but the join's own condition sees its right side. */
export const showsLeftOnly = ({ kind }: Join) => kind === 'SEMI JOIN' || kind === 'ANTI JOIN';

/** How the names of common tables are compared: to the letter, in any case, or the one or the other by server. */
type CommonNameCase = 'exact' | 'any' | 'unclear';

const commonNameCase = ({ hasExactNames, hasExactTables }: SqlDialect): CommonNameCase =>
  hasExactTables ? 'unclear' : hasExactNames ? 'exact' : 'any';

/** The common tables that one WITH brings into sight, and around it those of the WITHs further out. */
export class CommonNames {
  readonly #names: ReadonlySet<string>;
  readonly #outer: CommonNames | undefined;
  readonly #nameCase: CommonNameCase;
  readonly #meaning: 'common' | 'unclear';

  /** `areUnclear`: servers do not agree whether these can be seen. */
  constructor(names: readonly string[], outer: CommonNames | undefined, dialect: SqlDialect, areUnclear = false) {
    const nameCase = commonNameCase(dialect);
    this.#names = new Set(
      nameCase === 'exact' ? names : nameCase === 'any' ? names.map(fold) : [...names, ...names.map(spelled)],
    );
    this.#outer = outer;
    this.#nameCase = nameCase;
    this.#meaning = areUnclear ? 'unclear' : 'common';
  }

  /** What the name means here; `undefined` when it is no common table. */
  find(name: string): 'common' | 'unclear' | undefined {
    if (this.#names.has(this.#nameCase === 'any' ? fold(name) : name)) return this.#meaning;
    return this.#nameCase === 'unclear' && this.#names.has(spelled(name)) ? 'unclear' : this.#outer?.find(name);
  }
}

/** A key that no name has, alike for the spellings of one name. */
const spelled = (name: string) => `\0${fold(name)}`;
