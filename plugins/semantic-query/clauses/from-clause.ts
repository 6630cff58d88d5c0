/**
 * The FROM clause of one SELECT: an entity and what was joined to it, along declared joins. Hops that reach one row at
 * most are LEFT JOINs, so no row is lost; hops that multiply are inner joins and are remembered in `multiplied`.
 */
import type { ModelEntity, SemanticModel } from '../../semantic-layer/index.ts';
import type { Syntax } from '../dialect.ts';
import { isStrict, type Token } from '../expression/tokens.ts';
import type { Hop, JoinGraph, Path } from '../lookup/join-graph.ts';
import type { Members } from '../lookup/members.ts';
import type { Names } from '../lookup/names.ts';

/** What every step of one compilation shares. */
export interface Compilation {
  readonly model: SemanticModel;
  readonly names: Names;
  readonly members: Members;
  readonly graph: JoinGraph;
  readonly syntax: Syntax;
  readonly joinPath: readonly string[];
  /** Primary key, one fragment per column: as marked, else the column that joins to one row rely on; empty if unknown. */
  primaryKey(entity: ModelEntity): readonly (readonly Token[])[];
  /** Entities read so far. */
  readonly entities: Set<ModelEntity>;
}

export interface Source {
  readonly entity: ModelEntity;
  readonly alias: string;
}

interface Joined extends Source {
  readonly parent: Source;
  readonly hop: Hop;
}

/** The physical table, quoted part by part; a name that is written with quotes stays as it is. */
function tableSql(entity: ModelEntity, syntax: Syntax): string {
  if (/["`[]/.test(entity.table)) return entity.table;
  const parts = entity.table.split('.');
  if (parts.length === 1 && entity.schema !== undefined) parts.unshift(entity.schema);
  return parts.map((part) => syntax.identifier(part)).join('.');
}

export class Scope {
  readonly root: Source;
  readonly #compilation: Compilation;
  readonly #joined: Joined[] = [];
  /** Aliases taken here and in the statements around, which must not be shadowed; in lower case. */
  readonly #aliases: Set<string>;
  readonly #nested: boolean;
  #multiplied = false;

  /** `outer` makes this the scope of a subquery of it. */
  constructor(compilation: Compilation, root: ModelEntity, outer?: Scope) {
    this.#compilation = compilation;
    this.#aliases = new Set(outer === undefined ? [] : outer.#aliases);
    this.#nested = outer !== undefined;
    this.root = this.#source(root);
  }

  /** Whether a joined table may repeat the rows of the root. */
  get multiplied(): boolean {
    return this.#multiplied;
  }

  #source(entity: ModelEntity): Source {
    this.#compilation.entities.add(entity);
    let alias = entity.name;
    for (let n = 2; this.#aliases.has(alias.toLowerCase()); n++) alias = `${entity.name}_${n}`;
    this.#aliases.add(alias.toLowerCase());
    return { entity, alias };
  }

  /** How far the tables joined so far lead along the path, and the hops that are left. */
  follow(path: Path): { source: Source; rest: Path } {
    let source = this.root;
    for (const [index, hop] of path.entries()) {
      const next = this.#joined.find((joined) => joined.parent === source && joined.hop === hop);
      if (next === undefined) return { source, rest: path.slice(index) };
      source = next;
    }
    return { source, rest: [] };
  }

  /** Joins what is missing to get to the end of the path. */
  reach(path: Path): Source {
    let { source, rest } = this.follow(path);
    for (const hop of rest) {
      const joined: Joined = { ...this.#source(hop.to), parent: source, hop };
      this.#joined.push(joined);
      if (hop.multiplies) this.#multiplied = true;
      source = joined;
    }
    return source;
  }

  #qualifier(source: Source): string {
    return this.#compilation.syntax.identifier(source.alias);
  }

  /**
   * The fragment over the row of `source`, NULL where a LEFT JOIN found none. Columns stay bare while there is one
   * table, so ask once everything has been joined.
   */
  sql(source: Source, tokens: readonly Token[]): string {
    const qualifier = this.#qualifier(source);
    const bare = this.#joined.length === 0 && !this.#nested;
    const sql = this.#compilation.members.sql(source.entity, tokens, bare ? undefined : qualifier, qualifier);
    const present = isStrict(tokens) ? undefined : this.present(source);
    return present === undefined ? sql : `CASE WHEN ${present} THEN ${sql} END`;
  }

  /** That a LEFT JOIN found the row; `undefined` for rows that are always there. */
  present(source: Source): string | undefined {
    const joined = this.#joined.find((one) => one === source);
    if (joined === undefined || joined.hop.multiplies) return undefined;
    return `${this.#column(source, joined.hop.on[0]!.to)} IS NOT NULL`;
  }

  #column(source: Source, name: string): string {
    const { members } = this.#compilation;
    const qualifier = this.#qualifier(source);
    return members.sql(source.entity, members.joinColumn(source.entity, name), qualifier, qualifier);
  }

  /** The join condition between a row of this scope (or of the outer one) and one of `to`. */
  on(hop: Hop, from: Source, to: Source): string[] {
    return hop.on.map((pair) => `${this.#column(from, pair.from)} = ${this.#column(to, pair.to)}`);
  }

  table(source: Source): string {
    const { syntax } = this.#compilation;
    const table = tableSql(source.entity, syntax);
    const alias = this.#qualifier(source);
    return table === alias || table.endsWith(`.${alias}`) ? table : `${table} AS ${alias}`;
  }

  from(): string[] {
    const joins = this.#joined.map((joined) => {
      const kind = joined.hop.multiplies ? 'JOIN' : 'LEFT JOIN';
      return `${kind} ${this.table(joined)} ON ${this.on(joined.hop, joined.parent, joined).join(' AND ')}`;
    });
    return [this.table(this.root), ...joins];
  }
}
