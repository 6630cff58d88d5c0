/** Turns dimensions, join columns and conditions of an entity into tokens, with every `{dimension}` expanded. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import type { Syntax } from '../dialect.ts';
import { PlanError } from '../errors.ts';
import {
  columnToken,
  nameOf,
  parenthesized,
  type Qualification,
  render,
  type Token,
  tokenize,
} from '../expression/tokens.ts';
import { sameName } from './names.ts';

export class Members {
  readonly #syntax: Syntax;
  readonly #columns = new Map<ModelEntity, ReadonlySet<string>>();

  constructor(syntax: Syntax) {
    this.#syntax = syntax;
  }

  /** Columns that the model names, in lower case. */
  #knownColumns(entity: ModelEntity): ReadonlySet<string> {
    const known = this.#columns.get(entity);
    if (known !== undefined) return known;
    const plain = entity.dimensions.filter(({ sql }) => /^\w+$/.test(sql)).map(({ sql }) => sql);
    const joined = entity.joins.flatMap(({ on }) => on.map(({ from }) => from));
    const columns = new Set([...plain, ...joined].map((column) => column.toLowerCase()));
    this.#columns.set(entity, columns);
    return columns;
  }

  tokens(sql: string, where: string): Token[] {
    return tokenize(sql, this.#syntax.notation, where);
  }

  /** `where` names the fragment in messages; `other` resolves references that are not dimensions. */
  expression(
    entity: ModelEntity,
    sql: string,
    where: string,
    other?: (name: string) => readonly Token[] | undefined,
    open: readonly ModelDimension[] = [],
  ): Token[] {
    return this.tokens(sql, where).flatMap((token) => {
      if (token.kind !== 'reference') return [token];
      const name = token.text.replace(/^.*\./, '');
      const owner = token.text.slice(0, -name.length - 1);
      const known =
        owner === '' || sameName(owner, entity.name)
          ? entity.dimensions.find((dimension) => sameName(dimension.name, name))
          : undefined;
      const tokens = known === undefined ? other?.(token.text) : this.dimension(entity, known, open);
      if (tokens !== undefined) return parenthesized(tokens);
      throw new PlanError(
        'invalid_plan',
        `The SQL of ${where} refers to {${token.text}}, which ${entity.name} does not have; correct it in the semantic layer.`,
        entity.dimensions.map((dimension) => dimension.name),
      );
    });
  }

  dimension(entity: ModelEntity, dimension: ModelDimension, open: readonly ModelDimension[] = []): readonly Token[] {
    const where = `${entity.name}.${dimension.name}`;
    if (open.includes(dimension)) {
      const circle = [...open.slice(open.indexOf(dimension)), dimension].map(({ name }) => name).join(' → ');
      throw new PlanError(
        'invalid_plan',
        `The dimensions of ${entity.name} refer to each other in a circle: ${circle}; correct it in the semantic layer.`,
      );
    }
    if (dimension.sql === dimension.name) return [columnToken(this.#syntax.identifier(dimension.name))];
    return this.expression(entity, dimension.sql, where, undefined, [...open, dimension]);
  }

  /** A column named in a join: the physical column, or the dimension of that name. */
  joinColumn(entity: ModelEntity, column: string): readonly Token[] {
    const physical = [columnToken(this.#syntax.identifier(column))];
    const dimension = entity.dimensions.find(({ name }) => sameName(name, column));
    if (dimension === undefined) return physical;
    const tokens = this.dimension(entity, dimension);
    const isPhysical =
      entity.dimensions.some(({ sql }) => sameName(sql, column)) ||
      tokens.some((t) => nameOf(t) === column.toLowerCase());
    return isPhysical ? physical : tokens;
  }

  /** Declared primary key, one fragment per column; empty when there is none. */
  primaryKey(entity: ModelEntity): (readonly Token[])[] {
    return entity.dimensions
      .filter(({ primary_key }) => primary_key === true)
      .map((dimension) => this.dimension(entity, dimension));
  }

  /** Writes the fragment as SQL; without `alias` its columns are unqualified. */
  sql(entity: ModelEntity, tokens: readonly Token[], alias: string | undefined, qualifier: string): string {
    const { name, table, schema } = entity;
    const names = [name, table, table.replace(/^.*\./, ''), `${schema}.${table}`];
    const to: Qualification = {
      alias,
      qualifier,
      ownNames: new Set(names.map((own) => own.toLowerCase())),
      columns: this.#knownColumns(entity),
    };
    return render(tokens, to);
  }
}
