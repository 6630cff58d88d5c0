/** Reads a dbt `manifest.json`: models with their columns and tests, semantic models and metrics of MetricFlow. */
import type { DimensionType } from '../../semantic-layer/index.ts';
import { measureOf, takeMetrics } from './dbt-metrics.ts';
import { type Draft, draftsOf, findDraft, referred, takeKeys, takeTests } from './dbt-models.ts';
import { columnOf } from './expressions.ts';
import {
  findings,
  type ImportedDimension,
  type ImportedEntity,
  type ImportedProject,
  isRecord,
  present,
  type Report,
  recordsOf,
  synonymsOf,
  type Taken,
  textOf,
} from './project.ts';

type Json = Readonly<Record<string, unknown>>;

export const isManifest = (value: unknown): value is Json =>
  isRecord(value) && isRecord(value.nodes) && (isRecord(value.metadata) || isRecord(value.sources));

function timeType(dimension: Json): DimensionType {
  const { time_granularity: grain } = isRecord(dimension.type_params) ? dimension.type_params : ({} as Json);
  return /hour|minute|second/.test(String(grain)) ? 'timestamp' : 'date';
}

/** Puts a dimension where its column is described already. */
function putDimension(draft: Draft, dimension: ImportedDimension): void {
  const column = (columnOf(dimension.sql ?? dimension.name) ?? dimension.name).toLowerCase();
  draft.dimensions.set(column, { ...draft.dimensions.get(column), ...dimension });
}

function takeSemanticModels(
  { semantic_models: models }: Json,
  drafts: ReadonlyMap<string, Draft>,
  { report, taken }: { readonly report: Report; readonly taken: Taken },
): Map<string, Draft> {
  const byName = new Map<string, Draft>();
  for (const model of recordsOf(models)) {
    const name = textOf(model.name) ?? '?';
    const { nodes: needed } = isRecord(model.depends_on) ? model.depends_on : ({} as Json);
    const draft = findDraft(drafts, model.model, Array.isArray(needed) ? needed : []);
    if (draft === undefined) {
      report(`semantic model ${name}`, `its model ${referred(model.model) ?? ''} is not in the manifest`);
      continue;
    }
    byName.set(name, draft);
    draft.name = name;
    draft.description = textOf(model.description) ?? draft.description;
    for (const entity of recordsOf(model.entities)) {
      const own = textOf(entity.name);
      if (own === undefined) continue;
      const sql = textOf(entity.expr) ?? own;
      const isPrimary = entity.type === 'primary' || entity.type === 'unique';
      draft.keys.set(own, { sql, isPrimary });
      putDimension(
        draft,
        present({
          name: columnOf(sql) ?? own,
          sql: columnOf(sql) === undefined ? sql : undefined,
          description: textOf(entity.description),
          primary_key: entity.type === 'primary' ? true : undefined,
        }),
      );
    }
    for (const dimension of recordsOf(model.dimensions)) {
      const own = textOf(dimension.name);
      if (own === undefined) continue;
      const sql = textOf(dimension.expr);
      putDimension(
        draft,
        present({
          name: own,
          sql: sql === own ? undefined : sql,
          type: dimension.type === 'time' ? timeType(dimension) : undefined,
          description: textOf(dimension.description),
          synonyms: synonymsOf(own, dimension.label),
        }),
      );
    }
    for (const measure of recordsOf(model.measures)) {
      const label = `measure ${name}.${textOf(measure.name) ?? '?'}`;
      draft.measures.push(...taken(label, () => measureOf(measure)));
    }
  }
  return byName;
}

/** Foreign entities lead to the model whose primary entity has their name. */
function joinEntities(models: ReadonlyMap<string, Draft>): void {
  for (const draft of models.values()) {
    for (const [name, { sql, isPrimary }] of draft.keys) {
      if (isPrimary) continue;
      const target = [...models.values()].find((other) => other !== draft && other.keys.get(name)?.isPrimary === true);
      const [from, to] = [columnOf(sql), columnOf(target?.keys.get(name)?.sql ?? '')];
      if (target === undefined || from === undefined || to === undefined) continue;
      if (draft.joins.some(({ target: known, on }) => known === target.id && on[0]?.from === from)) continue;
      draft.joins.push({ target: target.id, relationship: 'many_to_one', on: [{ from, to }] });
    }
  }
}

const UNKNOWN = ['exposures', 'saved_queries', 'unit_tests'] as const;

export function readDbt(manifest: Json): ImportedProject {
  const { notTaken, report, taken } = findings();
  const drafts = draftsOf(manifest);
  takeTests(manifest, drafts, report);
  for (const draft of drafts.values()) takeKeys(draft);
  const models = takeSemanticModels(manifest, drafts, { report, taken });
  joinEntities(models);
  const metrics = takeMetrics(manifest, models, taken);
  for (const kind of UNKNOWN) {
    for (const { name } of recordsOf(manifest[kind]))
      report(
        `${kind.replace(/ies$/, 'y').replace(/s$/, '').replace('_', ' ')} ${String(name)}`,
        'a layer has nothing like it',
      );
  }
  const entities = Array.from(drafts.values(), (draft): ImportedEntity => {
    const { name, table, schema, description, dimensions, measures, joins } = draft;
    const named = joins.flatMap((join) => {
      const target = drafts.get(join.target);
      return target === undefined ? [] : [{ ...join, target: target.name }];
    });
    return {
      ...present({ name, table, schema, description }),
      dimensions: [...dimensions.values()],
      measures,
      joins: named,
      segments: [],
    };
  });
  return { entities, metrics, notTaken };
}
