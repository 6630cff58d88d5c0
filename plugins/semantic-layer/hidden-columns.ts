/**
 * Removes hidden dimensions, what reads them, and the values of masked ones from what the language model is shown.
 */
import type {
  ModelDimension,
  ModelEntity,
  ModelMetric,
  ModelTerm,
  ModelVerifiedQuery,
  SemanticModel,
} from './model.ts';

export interface VisibleModel {
  readonly entities: readonly ModelEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
  readonly verified?: readonly ModelVerifiedQuery[];
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
  readonly freshness?: { readonly column: string } | undefined;
}

const known = new WeakMap<SemanticModel, VisibleModel>();

/** What may be shown of a model; the model itself when nothing is hidden. Worked out once for a model. */
export function visibleModel(model: SemanticModel): VisibleModel {
  const visible = known.get(model) ?? withoutHiddenColumns(model);
  known.set(model, visible);
  return visible;
}

function withoutHiddenColumns(model: SemanticModel): VisibleModel {
  const hidden = new HiddenColumns(model);
  const isMasked = model.entities.some(({ dimensions }) => dimensions.some(({ mask }) => mask !== undefined));
  if (hidden.isEmpty && !isMasked) return model;
  return {
    entities: model.entities.map((entity) => hidden.withoutHidden(entity, hidden.of(entity.name))),
    metrics: model.metrics.flatMap((metric) => hidden.shownMetric(metric) ?? []),
    glossary: model.glossary.map((term) => hidden.shownTerm(term)),
    ...(model.verified && { verified: model.verified.filter((query) => hidden.shownVerified(query)) }),
  };
}

/** The hidden columns of a model, by entity. */
export class HiddenColumns {
  readonly #model: SemanticModel;
  readonly #byEntity = new Map<string, ReadonlySet<string>>();
  /** The same by the table, in lower case. */
  readonly #byTable = new Map<string, ReadonlySet<string>>();
  /** The names of all entities, and in a set of their own those that are no words. */
  readonly #words = new Set<string>();
  readonly #unusual = new Set<string>();

  constructor(model: SemanticModel) {
    this.#model = model;
    for (const entity of model.entities) {
      const names = hiddenNames(entity);
      if (names.size === 0) continue;
      this.#byEntity.set(entity.name, names);
      const table = entity.table.toLowerCase();
      this.#byTable.set(table, new Set([...(this.#byTable.get(table) ?? []), ...names]));
    }
    for (const name of [...this.#byEntity.values()].flatMap((names) => [...names])) {
      (PLAIN_NAME.test(name) ? this.#words : this.#unusual).add(name);
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
    const masked = maskedNames(entity);
    // Another dimension may read the column of a masked one.
    const hasMaskedValues = ({ name, sql, ...dimension }: ModelDimension) =>
      tellsValues(dimension) && (masked.has(name.toLowerCase()) || reads(sql ?? name, masked));
    if (shown.length < dimensions.length || shown.some(hasMaskedValues)) {
      changed.dimensions = shown.map((dimension) =>
        hasMaskedValues(dimension) ? withoutValues(dimension) : dimension,
      );
    }
    for (const key of ['measures', 'segments']) keep<HasSql>(key, ({ sql }) => !reads(sql, own));
    for (const key of ['queryPatterns', 'query_patterns']) {
      keep<HasSql>(key, ({ sql }) => !reads(sql, own) && !this.#readsAnyTable(sql));
    }
    keep<HasJoin>('joins', ({ target, on }) => {
      const far = this.of(target);
      const pairs = 'from' in on ? [on] : on;
      return !pairs.some(({ from, to }) => own?.has(from.toLowerCase()) || far?.has(to.toLowerCase()));
    });
    if (entity.freshness !== undefined && own?.has(entity.freshness.column.toLowerCase())) {
      const { freshness: _, ...rest } = { ...entity, ...changed };
      return rest as E;
    }
    return Object.keys(changed).length === 0 ? entity : { ...entity, ...changed };
  }

  /** The metric without hidden dimensions; `undefined` where it reads hidden columns. */
  shownMetric<M extends Pick<ModelMetric, 'entity' | 'measure' | 'sql' | 'dimensions'>>(metric: M): M | undefined {
    const { entity, measure, sql, dimensions } = metric;
    if (this.isEmpty) return metric;
    if (!this.#showsMember(entity, { sql, measure })) return undefined;
    const shown = dimensions?.filter((name) => !this.#isHidden(name, entity));
    return shown === undefined || shown.length === dimensions?.length ? metric : { ...metric, dimensions: shown };
  }

  /** The term without a condition and meanings that read hidden columns. */
  shownTerm<T extends HasSql & { readonly entity?: string; readonly meanings?: readonly unknown[] }>(term: T): T {
    if (this.isEmpty) return term;
    const meanings = term.meanings?.filter((meaning) => {
      const { entity, sql, measure, metric, dimension } = Object(meaning) as Meaning;
      const named = this.#model.metric(metric ?? '');
      if (named !== undefined && this.shownMetric(named) === undefined) return false;
      return this.#showsMember(entity, { sql, measure }) && !this.#isHidden(dimension ?? '', entity);
    });
    const isShown = this.#showsMember(term.entity, { sql: term.sql, measure: undefined });
    if (isShown && meanings?.length === term.meanings?.length) return term;
    const { sql: _, ...rest } = term;
    const shown = isShown ? term : (rest as T);
    return meanings === undefined ? shown : { ...shown, meanings };
  }

  /** Whether a verified query reads nothing hidden; its plan could not. */
  shownVerified({ sql }: HasSql): boolean {
    return !this.#readsAnyTable(sql);
  }

  /** Without an entity, an expression may be about any. */
  #showsMember(
    entity: string | undefined,
    member: { readonly sql: string | undefined; readonly measure: string | undefined },
  ) {
    const own = this.#model.entity(entity ?? '');
    const declared = own?.measures.find(({ name }) => name === member.measure);
    const isRead = (sql: string | undefined) =>
      (own === undefined ? this.#readsAny(sql) : reads(sql, this.of(entity))) || this.#readsAnyTable(sql);
    return !isRead(member.sql) && !isRead(declared?.sql);
  }

  /** `name` is a dimension of the entity, or `entity.dimension`. */
  #isHidden(name: string, entity: string | undefined): boolean {
    const dot = name.lastIndexOf('.');
    const of = dot < 0 ? entity : name.slice(0, dot);
    return this.of(of)?.has(name.slice(dot + 1).toLowerCase()) === true;
  }

  /** Whether an expression reads a hidden column of any entity. */
  #readsAny(sql: string | undefined): boolean {
    const words = codeOf(sql ?? '').match(WORDS) ?? [];
    return words.some((word) => this.#words.has(word)) || reads(sql, this.#unusual);
  }

  /** Whether a statement names a table together with one of its hidden columns. */
  #readsAnyTable(sql: string | undefined): boolean {
    if (!this.#readsAny(sql)) return false;
    return [...this.#byTable].some(([table, names]) => reads(sql, names) && reads(sql, new Set([table])));
  }
}

type Meaning = Readonly<Partial<Record<'entity' | 'sql' | 'measure' | 'metric' | 'dimension', string>>>;

type TellsValues = Pick<ModelDimension, 'sample_values' | 'range' | 'value_translations' | 'valueWords'>;

/** Whether values of the column stand in the layer. */
export const tellsValues = ({ sample_values, range, value_translations }: TellsValues): boolean =>
  sample_values !== undefined || range !== undefined || value_translations !== undefined;

export function withoutValues<D extends TellsValues>(dimension: D): Omit<D, keyof TellsValues> {
  const { sample_values: _, range: __, value_translations: ___, valueWords: ____, ...rest } = dimension;
  return rest;
}

/** Names and columns of the hidden dimensions, and the names of those that read them, in lower case. */
export const hiddenNames = ({ dimensions = [] }: Members): ReadonlySet<string> =>
  namesOf(dimensions, ({ hidden }) => hidden === true);

/** The same of the masked dimensions. */
export const maskedNames = ({ dimensions = [] }: Members): ReadonlySet<string> =>
  namesOf(dimensions, ({ mask }) => mask !== undefined);

function namesOf(
  dimensions: readonly ModelDimension[],
  isMeant: (dimension: ModelDimension) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const dimension of dimensions.filter(isMeant)) {
    const { name, sql = name } = dimension;
    names.add(name.toLowerCase());
    const column = /^(?:\w+\.)?["`[]?([\p{L}_][\p{L}\p{N}_$ ]*)["`\]]?$/u.exec(sql.trim())?.[1];
    if (column !== undefined) names.add(column.toLowerCase());
  }
  if (names.size === 0) return names;
  const codes = new Map(dimensions.map(({ name, sql = '' }) => [name.toLowerCase(), codeOf(sql)]));
  const uses = [...codes].flatMap(([name, code]) => (code.match(WORDS) ?? []).map((word) => ({ name, word })));
  const readers = Map.groupBy(uses, ({ word }) => word);
  // A set also visits what is added while it is walked.
  for (const found of names) {
    for (const { name } of readers.get(found) ?? []) names.add(name);
    if (PLAIN_NAME.test(found)) continue;
    for (const [name, code] of codes) if (includesName(code, found)) names.add(name);
  }
  return names;
}

const PLAIN_NAME = /^[\p{L}\p{N}_$]+$/u;
const WORDS = /[\p{L}\p{N}_$]+/gu;

/** Whether an expression uses one of the names, which are in lower case, outside string literals. */
export function reads(sql: string | undefined, names: ReadonlySet<string> | undefined): boolean {
  if (sql === undefined || names === undefined || names.size === 0) return false;
  const code = codeOf(sql);
  for (const [word] of code.matchAll(WORDS)) if (names.has(word)) return true;
  return [...names].some((name) => !PLAIN_NAME.test(name) && includesName(code, name));
}

const codeOf = (sql: string) => sql.replace(/'(?:[^']|'')*'/g, "''").toLowerCase();

/** Names with blanks and signs are no words. */
function includesName(code: string, name: string): boolean {
  for (let start = code.indexOf(name); start >= 0; start = code.indexOf(name, start + 1)) {
    if (!isWordCharacter(code[start - 1]) && !isWordCharacter(code[start + name.length])) return true;
  }
  return false;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}
