/** Names the conditions, measures and metrics of the layer for the reading of statements. */
import {
  expandReferences,
  type ModelEntity,
  type ModelTerm,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';
import { fold, type SqlDialect } from '../sql-kit/index.ts';
import { aggregateOf, type KnownMeasure, keyOfLayer, measuresByName } from './measures.ts';
import { memberText, spoken } from './words.ts';

export interface NamedCondition {
  /** Of a segment or a term. */
  readonly name: string;
  readonly text: string;
  /** Questions mean only its rows unless they say otherwise. */
  readonly isDefault: boolean;
  /** What else it is called, and what it means. */
  readonly phrases: readonly string[];
  readonly definition: string;
}

/** What the layer calls conditions and calculations; nothing of hidden columns. */
export interface ConditionNames {
  nameOf(key: string, entities: ReadonlySet<ModelEntity>): NamedCondition | undefined;
  condition(name: string): NamedCondition | undefined;
  /** The measure or metric, other than a number of rows. */
  measureOf(key: string, entity: ModelEntity): string | undefined;
  measure(name: string): KnownMeasure | undefined;
  measureWords(name: string): string;
  /** Terms of several meanings. */
  readonly ambiguous: readonly ModelTerm[];
}

const known = new WeakMap<SemanticModel, Map<string, ConditionNames>>();

/** Worked out once for a model and a dialect. */
export function conditionNames(model: SemanticModel, dialect: SqlDialect): ConditionNames {
  const ofModel = known.get(model) ?? new Map<string, ConditionNames>();
  known.set(model, ofModel);
  const names = ofModel.get(dialect.name) ?? namesOf(model, dialect);
  ofModel.set(dialect.name, names);
  return names;
}

function namesOf(model: SemanticModel, dialect: SqlDialect): ConditionNames {
  const { entities, metrics, glossary } = visibleModel(model);
  const measures = measuresByName(entities, metrics);
  const byEntity = new Map<string, { conditions: Map<string, NamedCondition>; measures: Map<string, string> }>();
  const byName = new Map<string, NamedCondition>();

  /** Those of an entity, by their keys: read when a statement first reads its table. */
  function of(entity: ModelEntity) {
    const read = byEntity.get(entity.name);
    if (read !== undefined) return read;
    const found = { conditions: new Map<string, NamedCondition>(), measures: new Map<string, string>() };
    byEntity.set(entity.name, found);
    const keyFor = (sql: string) => keyOfLayer(expandReferences(sql, entity.dimensions), entity, dialect);
    const add = (sql: string, condition: NamedCondition) => {
      const key = keyFor(sql);
      if (key === undefined || found.conditions.has(key)) return;
      found.conditions.set(key, condition);
      byName.set(condition.name, condition);
    };
    for (const { name, sql, default: isDefault = false, description = '', synonyms = [] } of entity.segments) {
      const text = `${memberText(entity, name)}${description && ` (${description.replace(/\.$/, '')})`}`;
      add(sql, {
        name: `${entity.name}.${name}`,
        text,
        isDefault,
        phrases: [spoken(name), ...synonyms],
        definition: description,
      });
    }
    for (const { term, sql, definition = '', synonyms = [], entity: own } of glossary) {
      if (sql === undefined || own !== entity.name) continue;
      const text = `${term} of ${spoken(entity.name)}${definition && ` (${definition.replace(/\.$/, '')})`}`;
      add(sql, { name: term, text, isDefault: false, phrases: [term, ...synonyms], definition });
    }
    const addMeasure = (sql: string | undefined, name: string) => {
      const key = sql === undefined ? undefined : keyFor(sql);
      if (key !== undefined && !found.measures.has(key)) found.measures.set(key, name);
    };
    for (const measure of entity.measures)
      if (measure.sql !== undefined) addMeasure(aggregateOf(measure, entity), `${entity.name}.${measure.name}`);
    for (const { id, sql, entity: own } of metrics) if (own === entity.name) addMeasure(sql, id);
    return found;
  }

  return {
    nameOf(key, read) {
      for (const entity of read) {
        const found = of(entity).conditions.get(key);
        if (found !== undefined) return found;
      }
    },
    condition: (name) => byName.get(name),
    measureOf: (key, entity) => of(entity).measures.get(key),
    measure: (name) => measures.get(fold(name)),
    measureWords: (name) => measures.get(fold(name))?.words ?? spoken(name.replace(/^.*\./, '')),
    ambiguous: glossary.filter(({ meanings = [] }) => meanings.length > 1),
  };
}
