/** Compiles a typed plan to one SQL statement. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import { postgres, type SqlDialect } from '../sql-kit/index.ts';
import type { CompiledQuery } from './api.ts';
import type { Compilation } from './compilation.ts';
import { syntaxOf } from './dialect.ts';
import { PlanError } from './errors.ts';
import { joinGraphOf, sameConnection } from './lookup/join-graph.ts';
import { Members } from './lookup/members.ts';
import { Names } from './lookup/names.ts';
import type { QueryPlan } from './plan.ts';
import { compileMeasureQuery } from './query/measure-query.ts';
import { compileNestedAggregate } from './query/nested-aggregate.ts';
import { compiledColumn } from './query/output-columns.ts';
import { checkShape, resolvePlan } from './query/resolved-plan.ts';
import { compileRowQuery } from './query/row-query.ts';

/** For a plan that is only checked: the layer's SQL may have names as MySQL quotes them. */
const ANY_ENGINE: SqlDialect = { ...postgres, notation: { ...postgres.notation, names: '"`' } };

/**
 * Compiles the plan over the model, for `dialect`, which a plan that is only checked does not need. Throws `PlanError`
 * when the plan does not fit the model or is ambiguous.
 */
export function compileQuery(
  model: SemanticModel,
  plan: QueryPlan,
  { dialect = ANY_ENGINE }: { readonly dialect?: SqlDialect } = {},
): CompiledQuery {
  checkShape(plan);
  if (plan.over !== undefined) return compileNestedAggregate(compileQuery, model, plan, { dialect });
  const compilation = compilationOf(model, plan, dialect);
  const resolved = resolvePlan(compilation, plan);
  const compile = resolved.measures.length > 0 ? compileMeasureQuery : compileRowQuery;
  const sql = compile(compilation, resolved);
  const entities = [...compilation.entities];
  const other = entities.find((entity) => !sameConnection(entity, entities[0]!));
  if (other !== undefined) {
    throw new PlanError(
      'invalid_plan',
      `${entities[0]!.name} and ${other.name} are in different databases; ask about one of them at a time.`,
    );
  }
  return remembered(model, {
    sql,
    columns: resolved.outputs.map(compiledColumn),
    entities: entities.map(({ name }) => name),
    connection: entities[0]?.connection,
    plan,
  });
}

const MAX_REMEMBERED = 500;
const compiledBy = new WeakMap<SemanticModel, Map<string, CompiledQuery>>();

function remembered(model: SemanticModel, compiled: CompiledQuery): CompiledQuery {
  const known = compiledBy.get(model) ?? new Map<string, CompiledQuery>();
  compiledBy.set(model, known);
  if (known.size >= MAX_REMEMBERED && !known.has(compiled.sql)) known.delete(known.keys().next().value!);
  known.set(compiled.sql, compiled);
  return compiled;
}

/** What a plan was compiled to, among the last 500 of the model, by its statement: tells the plan, and what its columns are. */
export const compiledAs = (model: SemanticModel, sql: string): CompiledQuery | undefined =>
  compiledBy.get(model)?.get(sql);

/**
 * Connection of the plan's first name; `undefined` = the default connection. Throws `PlanError` for an unknown name.
 */
export function connectionOf(model: SemanticModel, plan: QueryPlan): string | undefined {
  const names = new Names(model);
  const measure = plan.measures?.[0];
  if (measure !== undefined) {
    const found = names.measure(measure);
    if (!('id' in found)) return found.entity.connection;
    const entity = found.entity ?? found.measure?.replace(/\.[^.]*$/, '');
    return entity === undefined ? undefined : model.entity(entity)?.connection;
  }
  const dimension = plan.adhocMeasures?.[0]?.dimension ?? plan.dimensions?.[0]?.dimension;
  if (plan.entity !== undefined) return names.entity(plan.entity).connection;
  return dimension === undefined ? undefined : names.dimension(dimension).entity.connection;
}

function compilationOf(model: SemanticModel, plan: QueryPlan, dialect: SqlDialect): Compilation {
  const syntax = syntaxOf(dialect);
  const members = new Members(syntax);
  const graph = joinGraphOf(model);
  return {
    model,
    names: new Names(model),
    members,
    graph,
    syntax,
    joinPath: plan.joinPath ?? [],
    entities: new Set(),
    primaryKey(entity) {
      const marked = members.primaryKey(entity);
      return marked.length > 0
        ? marked
        : graph.uniqueColumns(entity).map((column) => members.joinColumn(entity, column));
    },
  };
}
