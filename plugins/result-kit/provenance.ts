/** Types what a result comes from: tables, measures, conditions and periods, in the words of the semantic layer. */

/**
 * Of the statement as it was asked for; what policies add to it is never part of this. A property `sql` quotes SQL and is
 * left out for readers who may not see SQL.
 */
export interface Provenance {
  readonly tables: readonly ProvenanceTable[];
  readonly measures: readonly ProvenanceMeasure[];
  /** All of them hold, beside the periods. */
  readonly filters: readonly ProvenanceFilter[];
  readonly periods: readonly ProvenancePeriod[];
  readonly joins: readonly ProvenanceJoin[];
  /** `rows`: row security limits the rows; `values`: columns are masked. */
  readonly policies: readonly ('rows' | 'values')[];
  readonly limit: ProvenanceLimit;
  /** How the question was read where it could have been read otherwise, one sentence each. */
  readonly assumptions: readonly string[];
}

export interface ProvenanceTable {
  /** As the layer calls it, or as the database does where the layer does not know it. */
  readonly name: string;
  /** `null`: not known, or not known in time. */
  readonly freshness: Freshness | null;
}

/** How new the rows are that the reader may see. */
export interface Freshness {
  /** The table's time column. */
  readonly column: string;
  /** Its last value; `null`: there is none. */
  readonly last: string | null;
  /** Since when that was known, ISO 8601. */
  readonly checkedAt: string;
  /** How old the last value may be, as the layer declares it: `24h`. */
  readonly within?: string;
  /** It is older than that. */
  readonly isLate: boolean;
}

export interface ProvenanceMeasure {
  /** `entity.measure`, a metric's id, or what the statement calls a calculation of its own. */
  readonly name: string;
  /** The column of the result that it is. */
  readonly column?: string;
  /** What it is, in words. */
  readonly definition: string;
  readonly sql?: string;
}

export type FilterValue = string | number | boolean | null;

export interface ProvenanceFilter {
  /** `status of orders is completed or shipped`. */
  readonly text: string;
  /** `entity.dimension`, where it is about one. */
  readonly column?: string;
  /** Where it compares the column with values. */
  readonly operator?: FilterOperator;
  readonly values?: readonly FilterValue[];
  /** It holds where there is no value, too. */
  readonly orMissing?: boolean;
  /** The segment or term of the layer that it is. */
  readonly named?: string;
  /** Of a statement that reads tables in several parts: the common table or subquery that it limits. */
  readonly part?: string;
  readonly sql?: string;
}

export const FILTER_OPERATORS = [
  'equals',
  'not_equals',
  'in',
  'not_in',
  'greater_than',
  'greater_or_equal',
  'less_than',
  'less_or_equal',
  'contains',
  'starts_with',
  'ends_with',
  'is_null',
  'is_not_null',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface ProvenancePeriod {
  /** `entity.dimension`. */
  readonly column: string;
  readonly text: string;
  /** Inclusive, a day or a time; missing: open. */
  readonly from?: string;
  readonly to?: string;
  /** Whether `to` belongs to it. */
  readonly includesTo: boolean;
  /** What days and times mean; `null`: the column has days, or the connection decides. */
  readonly timeZone: string | null;
  /** As of a filter. */
  readonly part?: string;
}

export interface ProvenanceJoin {
  /** Entities by name. */
  readonly from: string;
  readonly to: string;
  readonly on: readonly { readonly from: string; readonly to: string }[];
}

export interface ProvenanceLimit {
  /** Most rows that the statement asks for; `null`: it names no number. */
  readonly rows: number | null;
  /** The database had more rows than the result has. */
  readonly truncated: boolean;
  /** The statement reads a random part of a table. */
  readonly sampled: boolean;
}
