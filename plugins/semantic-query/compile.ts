/** From a typed plan to one SQL statement: `compileQuery` is the way in. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import { syntaxOf } from './dialect.ts';
import { JoinGraph, sameConnection } from './lookup/join-graph.ts';
import { compileMeasured } from './query/measure-query.ts';
import { Members } from './lookup/members.ts';
import { Names } from './lookup/names.ts';
import { compiledColumn } from './query/output-columns.ts';
import { compileOver } from './query/nested-aggregate.ts';
import { type CompiledQuery, type Dialect, PlanError, type QueryPlan } from './plan.ts';
import { checkShape, resolveQuestion } from './query/resolved-plan.ts';
import { compileRows } from './query/row-query.ts';
import type { Compilation } from './clauses/from-clause.ts';

/** Compiles the plan over the model. Throws `PlanError` where the plan does not fit it, or leaves a choice. */
export function compileQuery(model: SemanticModel, plan: QueryPlan, options: { dialect: Dialect }): CompiledQuery {
  checkShape(plan);
  if (plan.over !== undefined) return compileOver(compileQuery, model, plan, options);
  const compilation = begin(model, plan, options.dialect);
  const question = resolveQuestion(compilation, plan);
  const sql =
    question.measured.length > 0 ? compileMeasured(compilation, question) : compileRows(compilation, question);
  const entities = [...compilation.entities];
  const other = entities.find((entity) => !sameConnection(entity, entities[0]!));
  if (other !== undefined) {
    throw new PlanError(
      'invalid_plan',
      `${entities[0]!.name} and ${other.name} are in different databases; ask about one of them at a time.`,
    );
  }
  return {
    sql,
    columns: question.outputs.map(compiledColumn),
    entities: entities.map(({ name }) => name),
    connection: entities[0]?.connection,
  };
}

/** Connection that the plan's first name lives on; `undefined` = the default one. Throws `PlanError` for unknown names. */
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

function begin(model: SemanticModel, plan: QueryPlan, dialect: Dialect): Compilation {
  const syntax = syntaxOf(dialect);
  const members = new Members(syntax);
  const graph = new JoinGraph(model);
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
