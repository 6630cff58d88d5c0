/**
 * Builds the FROM clause of one SELECT: an entity and what is joined to it along declared joins. To-one joins are LEFT
 * JOINs, so no row is lost; joins that multiply rows are inner joins and set `multiplied`.
 */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import type { Syntax } from '../dialect.ts';
import { isStrict, type Token } from '../expression/tokens.ts';
import type { Hop, Path } from '../lookup/join-graph.ts';

export interface RowSource {
  readonly entity: ModelEntity;
  readonly alias: string;
}

interface Joined extends RowSource {
  readonly parent: RowSource;
  readonly hop: Hop;
}

/** The physical table with each part quoted as needed; a name that already contains quotes stays as written. */
function tableSql(entity: ModelEntity, syntax: Syntax): string {
  if (/["`[]/.test(entity.table)) return entity.table;
  const parts = entity.table.split('.');
  if (parts.length === 1 && entity.schema !== undefined) parts.unshift(entity.schema);
  return parts.map((part) => syntax.identifier(part)).join('.');
}

export class FromClause {
  readonly root: RowSource;
  readonly #compilation: Compilation;
  readonly #joined: Joined[] = [];
  /** Aliases taken here and in enclosing statements, which must not be shadowed, in lower case. */
  readonly #aliases: Set<string>;
  readonly #nested: boolean;
  #multiplied = false;

  /** `outer`: the FROM clause of the enclosing statement when this is a subquery's. */
  constructor(compilation: Compilation, root: ModelEntity, outer?: FromClause) {
    this.#compilation = compilation;
    this.#aliases = new Set(outer === undefined ? [] : outer.#aliases);
    this.#nested = outer !== undefined;
    this.root = this.#source(root);
  }

  /** Whether a join may repeat the rows of the root entity. */
  get multiplied(): boolean {
    return this.#multiplied;
  }

  #source(entity: ModelEntity): RowSource {
    this.#compilation.entities.add(entity);
    let alias = entity.name;
    for (let n = 2; this.#aliases.has(alias.toLowerCase()); n++) alias = `${entity.name}_${n}`;
    this.#aliases.add(alias.toLowerCase());
    return { entity, alias };
  }

  /** Follows the path over tables that are already joined; `rest` are the hops that are not. */
  follow(path: Path): { source: RowSource; rest: Path } {
    let source = this.root;
    for (const [index, hop] of path.entries()) {
      const next = this.#joined.find((joined) => joined.parent === source && joined.hop === hop);
      if (next === undefined) return { source, rest: path.slice(index) };
      source = next;
    }
    return { source, rest: [] };
  }

  /** Joins whatever the path still needs and returns its end. */
  reach(path: Path): RowSource {
    let { source, rest } = this.follow(path);
    for (const hop of rest) {
      const joined: Joined = { ...this.#source(hop.to), parent: source, hop };
      this.#joined.push(joined);
      if (hop.multiplies) this.#multiplied = true;
      source = joined;
    }
    return source;
  }

  #qualifier(source: RowSource): string {
    return this.#compilation.syntax.identifier(source.alias);
  }

  /**
   * The fragment over the row of `source`, NULL when a LEFT JOIN found no row. Columns stay unqualified while there is
   * only one table, so call this after all joins have been added.
   */
  sql(source: RowSource, tokens: readonly Token[]): string {
    const qualifier = this.#qualifier(source);
    const bare = this.#joined.length === 0 && !this.#nested;
    const sql = this.#compilation.members.sql(source.entity, tokens, bare ? undefined : qualifier, qualifier);
    const present = isStrict(tokens) ? undefined : this.present(source);
    return present === undefined ? sql : `CASE WHEN ${present} THEN ${sql} END`;
  }

  /** The condition that a LEFT JOIN found a row; `undefined` for sources that always have one. */
  present(source: RowSource): string | undefined {
    const joined = this.#joined.find((one) => one === source);
    if (joined === undefined || joined.hop.multiplies) return undefined;
    return `${this.#column(source, joined.hop.on[0]!.to)} IS NOT NULL`;
  }

  #column(source: RowSource, name: string): string {
    const { members } = this.#compilation;
    const qualifier = this.#qualifier(source);
    return members.sql(source.entity, members.joinColumn(source.entity, name), qualifier, qualifier);
  }

  /** The join conditions between a row of this clause (or of the outer one) and a row of `to`. */
  on(hop: Hop, from: RowSource, to: RowSource): string[] {
    return hop.on.map((pair) => `${this.#column(from, pair.from)} = ${this.#column(to, pair.to)}`);
  }

  table(source: RowSource): string {
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
