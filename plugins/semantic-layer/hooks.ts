/** Defines the hooks of the semantic layer: the backend of the explore tool, protected tables, facts, another ranking. */
import { type Awaitable, collect, first, type HealthItem, type Scope, waterfall } from '../../kernel/index.ts';

/** A file of the semantic layer as the model may see it: without hidden columns, and without samples of masked ones. */
export interface VisibleFile {
  /** Relative to the root of the layer, with `/`: `entities/orders.yml`. */
  readonly path: string;
  readonly text: string;
}

/** One call of the explore tool. */
export interface ExploreRequest {
  /** What the model wrote. */
  readonly command: string;
  /** The layer of the request's organization, in a stable order. */
  readonly files: readonly VisibleFile[];
  /** Longest answer, in bytes; what is longer is cut. */
  readonly maxBytes: number;
}

/** A backend of the explore tool. */
export interface Sandbox {
  /** As the health report names it: `just-bash`. */
  readonly backend: string;
  /** Whether commands run apart from the server, so that a hostile one can neither read its memory nor hold it up. */
  readonly isolated: boolean;
  /** For the model: what it may write as a command, with an example. */
  readonly usage: string;
  /** Longest time of one command; it then ends with an error. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Answers a command with text for the model, also when the command itself fails: the model reads why and tries
   * another. Ends when the signal of the scope aborts.
   */
  run(request: ExploreRequest, scope: Scope): Awaitable<string>;
  /** Whether it can run, for the health report. Default: it can. */
  health?(): Awaitable<Pick<HealthItem, 'status' | 'message'>>;
}

export const exploreSandbox = collect<undefined, Sandbox>('explore.sandbox', {
  summary:
    'The backend that the explore tool runs in; at most one. Without it the tool reads the layer in this process.',
});

/** A table of the layer. */
export interface LayerTable {
  readonly table: string;
  readonly schema?: string;
  /** Missing for the default connection. */
  readonly connection?: string;
  /** Columns and expressions of its dimensions, in lower case. */
  readonly columns: readonly string[];
}

export type IsProtected = (table: LayerTable) => boolean;

/** `orgId`: whose layer it is; `null`: the shared one, which all organizations see that have none of their own. */
export type ProtectsTable = (table: LayerTable, orgId: string | null) => boolean;

export const protectedTables = collect<undefined, ProtectsTable>('layer.protected-tables', {
  summary:
    'Asked once: of which tables not everyone who is shown the layer sees all rows. It then shows none of their values.',
});

/** What is to be measured of a column, under the name that the layer gives it. */
export interface MeasuredColumn {
  readonly column: string;
  /** The first and last value of a time, or the values of a text that has few. */
  readonly wanted: 'range' | 'values';
}

/** A table of a layer that may be measured, with the columns that may. */
export interface MeasuredTable extends Omit<LayerTable, 'columns'> {
  /** Names the table in its layer; `LayerFacts` go by it. */
  readonly key: string;
  readonly columns: readonly MeasuredColumn[];
}

/** What was measured of a table. */
export interface TableFacts {
  readonly rowCount?: number;
  /** First and last value, by column. */
  readonly ranges: ReadonlyMap<string, readonly [string, string]>;
  /** Values that were found, by column; not always all. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** By the keys of tables. Facts that have changed are another object. */
export type LayerFacts = ReadonlyMap<string, TableFacts>;

export interface FactSource {
  /**
   * The facts of an organization with a layer or connections of its own, of the others with `null`. A promise, which never
   * rejects, only as long as they are not in memory.
   */
  of(orgId: string | null): Awaitable<LayerFacts>;
}

export const layerFacts = first<undefined, FactSource>('layer.facts', {
  summary:
    'Asked once: who has measured row counts, ranges and values. The layer shows them where its files have none or older ones.',
});

export const layerProbe = collect<undefined, HealthItem>('layer.probe', {
  summary:
    'Runs what a layer holds against the databases, for `atlas doctor` and `atlas diff`; no health report does that.',
});

/** The entities of a layer that a question is about. */
export interface RankedEntities {
  readonly question: string;
  /** The best first; scores are positive and compare within one question only. */
  readonly entities: readonly { readonly name: string; readonly score: number }[];
}

export const retrievalRank = waterfall<RankedEntities>('retrieval.rank', {
  summary: 'May rank the entities of a question anew, by an embedding model for instance, before the best are chosen.',
  deadlineMs: 5_000,
});
