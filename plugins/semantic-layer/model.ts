/**
 * Defines the semantic layer in memory: one immutable `SemanticModel` per load. A request keeps the one it began with.
 */
import { folded } from '../language-kit/index.ts';
import type {
  CatalogFile,
  Dimension,
  DimensionType,
  GlossaryTerm,
  Join,
  Measure,
  Metric,
  Segment,
  Translations,
  VerifiedQuery,
} from './schema.ts';

/** A dimension with its defaults filled in. */
export interface ModelDimension extends Omit<Dimension, 'sql' | 'type'> {
  readonly name: string;
  /** As written; by default the column `name`. `{other}` stands for another dimension. */
  readonly sql: string;
  readonly type: DimensionType;
  /** In the model of another language: what values are called there, by the value. */
  readonly valueWords?: ReadonlyMap<string, readonly string[]>;
}

export const isTime = ({ type }: Pick<ModelDimension, 'type'>): boolean => type === 'date' || type === 'timestamp';

/** Values that the layer lists: one that has a translation need not be among the samples. */
export const listedValues = ({ sample_values = [], valueWords }: ModelDimension): readonly unknown[] =>
  valueWords === undefined ? sample_values : [...new Set([...sample_values, ...valueWords.keys()])];

/** Words for values of a column in any language, with the values. */
export const translationsOfValues = ({
  value_translations: languages = {},
}: Pick<ModelDimension, 'value_translations'>) => Object.values(languages).flatMap((words) => Object.entries(words));

const meanings = new WeakMap<object, ReadonlyMap<string, ReadonlySet<string>>>();

/** The values that are called so in any language, whatever its case, accents and width. Words are read once for a column. */
export function translatedValues({ value_translations: languages }: ModelDimension, text: string): readonly string[] {
  if (languages === undefined) return [];
  const known = meanings.get(languages) ?? valuesByWord(languages);
  meanings.set(languages, known);
  return [...(known.get(folded(text)) ?? [])];
}

function valuesByWord(languages: NonNullable<ModelDimension['value_translations']>) {
  const found = new Map<string, Set<string>>();
  for (const [value, words] of translationsOfValues({ value_translations: languages }))
    for (const word of words.map(folded)) found.set(word, (found.get(word) ?? new Set()).add(value));
  return found;
}

/** A join with `on` always a list and `name` always set (the target's name by default). */
export interface ModelJoin extends Omit<Join, 'on' | 'name'> {
  readonly name: string;
  readonly on: readonly { readonly from: string; readonly to: string }[];
}

/** The date or timestamp that tells how new the rows are, and how old its last value may be: `24h`. */
export interface ModelFreshness {
  readonly column: string;
  readonly within: string;
  readonly withinMs: number;
}

export interface ModelEntity {
  readonly name: string;
  readonly table: string;
  readonly schema?: string;
  /** Connection that holds the table; `undefined` = the default connection. */
  readonly connection?: string;
  readonly type: 'table' | 'view' | 'fact' | 'dimension';
  readonly grain?: string;
  /** About how many rows the table had when it was profiled. */
  readonly rowCount?: number;
  readonly freshness?: ModelFreshness;
  readonly description: string;
  readonly synonyms: readonly string[];
  readonly translations?: Translations;
  readonly dimensions: readonly ModelDimension[];
  readonly measures: readonly Measure[];
  readonly joins: readonly ModelJoin[];
  readonly segments: readonly Segment[];
  readonly queryPatterns: readonly { readonly description: string; readonly sql: string }[];
  /** Path relative to the layer's root, such as `entities/orders.yml` or `warehouse/entities/orders.yml`. */
  readonly file: string;
  /** `default`, or the name of the source's own folder. */
  readonly source: string;
}

export interface ModelMetric extends Metric {
  readonly file: string;
  readonly source: string;
}

export interface ModelTerm extends GlossaryTerm {
  readonly status: 'defined' | 'ambiguous';
  readonly file: string;
  readonly source: string;
}

/** A question with the statement that answers it. */
export interface ModelVerifiedQuery extends VerifiedQuery {
  readonly file: string;
  readonly source: string;
}

/** A problem of a file or part that cannot be used. `line` and `column` count from 1. */
export interface SemanticProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface SemanticModel {
  /** Grows by one with every reload of a running service. */
  readonly version: number;
  readonly entities: readonly ModelEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
  readonly catalog: CatalogFile | undefined;
  /** Missing where there are none. */
  readonly verified?: readonly ModelVerifiedQuery[];
  readonly problems: readonly SemanticProblem[];
  /** For users: why little can be answered and what to do. Names nothing hidden. */
  readonly notice?: string;
  /** For everyone: how much of the layer the databases lack, without names. */
  readonly summary?: string;
  /** Finds an entity by name, ignoring case, or as `source.entity`. */
  entity(name: string): ModelEntity | undefined;
  metric(id: string): ModelMetric | undefined;
}
