/**
 * Removes hidden dimensions, what reads them, and the values of masked ones from what the language model is shown.
 */
import type { ModelDimension, ModelEntity, ModelMetric, ModelTerm, SemanticModel } from './model.ts';

export interface VisibleModel {
  readonly entities: readonly ModelEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
}

interface Columns {
  readonly from: string;
  readonly to: string;
}

interface HasJoin {
  readonly target: string;
  readonly on: Columns | readonly Columns[];
}

interface HasSql {
  readonly sql?: string;
}

/** The common part of entities in the model and in files. */
interface Members {
  readonly dimensions?: readonly ModelDimension[];
  readonly joins?: readonly HasJoin[];
}

/** What may be shown of a model; the model itself when nothing is hidden. */
export function visibleModel(model: SemanticModel): VisibleModel {
  const hidden = new HiddenColumns(model);
  if (hidden.isEmpty && !model.entities.some(({ dimensions }) => dimensions.some(hasMaskedValues))) return model;
  return {
    entities: model.entities.map((entity) => hidden.withoutHidden(entity, hidden.of(entity.name))),
    metrics: model.metrics.filter((metric) => hidden.showsMetric(metric)),
    glossary: model.glossary.map((term) => hidden.withoutHiddenCondition(term)),
  };
}

/** The hidden columns of a model, by entity. */
export class HiddenColumns {
  readonly #model: SemanticModel;
  readonly #byEntity = new Map<string, ReadonlySet<string>>();

  constructor(model: SemanticModel) {
    this.#model = model;
    for (const entity of model.entities) {
      const names = hiddenNames(entity);
      if (names.size > 0) this.#byEntity.set(entity.name, names);
    }
  }

  get isEmpty(): boolean {
    return this.#byEntity.size === 0;
  }

  of(entityName: string | undefined): ReadonlySet<string> | undefined {
    return this.#byEntity.get(this.#model.entity(entityName ?? '')?.name ?? '');
  }

  /**
   * The entity without hidden dimensions, without members, joins and patterns that read one of `own`, and without
   * values of masked dimensions.
   */
  withoutHidden<E extends Members>(entity: E, own: ReadonlySet<string> | undefined): E {
    const lists = new Map<string, unknown>(Object.entries(entity));
    const changed: Record<string, unknown> = {};
    const keep = <T>(key: string, isShown: (item: T) => boolean) => {
      const list = lists.get(key);
      if (!Array.isArray(list)) return;
      const kept = list.filter(isShown);
      if (kept.length < list.length) changed[key] = kept;
    };
    const { dimensions = [] } = entity;
    const shown = dimensions.filter(({ hidden, sql }) => hidden !== true && !reads(sql, own));
    if (shown.length < dimensions.length || shown.some(hasMaskedValues)) {
      changed.dimensions = shown.map((dimension) =>
        hasMaskedValues(dimension) ? withoutValues(dimension) : dimension,
      );
    }
    for (const key of ['measures', 'segments', 'queryPatterns', 'query_patterns']) {
      keep<HasSql>(key, ({ sql }) => !reads(sql, own));
    }
    keep<HasJoin>('joins', ({ target, on }) => {
      const far = this.of(target);
      const pairs = 'from' in on ? [on] : on;
      return !pairs.some(({ from, to }) => own?.has(from.toLowerCase()) || far?.has(to.toLowerCase()));
    });
    return Object.keys(changed).length === 0 ? entity : { ...entity, ...changed };
  }

  showsMetric({ entity, measure, sql }: Pick<ModelMetric, 'entity' | 'measure' | 'sql'>): boolean {
    const own = this.of(entity);
    if (own === undefined) return true;
    const declared = this.#model.entity(entity ?? '')?.measures.find(({ name }) => name === measure);
    return !reads(sql, own) && !reads(declared?.sql, own);
  }

  /** The term without a condition that reads hidden columns. */
  withoutHiddenCondition<T extends HasSql & { readonly entity?: string }>(term: T): T {
    if (!reads(term.sql, this.of(term.entity))) return term;
    const { sql: _, ...rest } = term;
    return rest as T;
  }
}

const hasMaskedValues = ({ mask, sample_values, range }: ModelDimension) =>
  mask !== undefined && (sample_values !== undefined || range !== undefined);

function withoutValues({ sample_values: _, range: __, ...dimension }: ModelDimension): ModelDimension {
  return dimension;
}

/** Names and columns of the hidden dimensions, in lower case. */
export function hiddenNames({ dimensions = [] }: Members): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { hidden, name, sql } of dimensions) {
    if (hidden !== true) continue;
    names.add(name.toLowerCase());
    const column = /^(?:\w+\.)?["`[]?([\p{L}_][\p{L}\p{N}_$ ]*)["`\]]?$/u.exec(sql.trim())?.[1];
    if (column !== undefined) names.add(column.toLowerCase());
  }
  return names;
}

/** Whether an expression uses one of the names outside string literals. */
export function reads(sql: string | undefined, names: ReadonlySet<string> | undefined): boolean {
  if (sql === undefined || names === undefined) return false;
  const code = sql.replace(/'(?:[^']|'')*'/g, "''").toLowerCase();
  return [...names].some((name) => {
    for (let start = code.indexOf(name); start >= 0; start = code.indexOf(name, start + 1)) {
      if (!isWordCharacter(code[start - 1]) && !isWordCharacter(code[start + name.length])) return true;
    }
    return false;
  });
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}
