/** Defines the hooks of datasources besides those of the kernel. */
import { collect, first, type HealthItem, keyed, type SqlStatement } from '../../kernel/index.ts';
import type { DatasourceEngine } from './engines.ts';

import type { ResultMemory } from './values.ts';

/** A tap returns the memory of whatever asks; of a statement without, only the limits of one result hold. */
export const resultMemory = first<SqlStatement, ResultMemory>('result.memory', {
  summary: 'Asked when a statement starts to run: how much memory its rows may take, besides the limits of one result.',
});

export const datasourceEngines = collect<undefined, DatasourceEngine>('datasource.engines', {
  summary: 'Database engines, for connections that are made while the service runs.',
});

export const datasourceHealth = keyed<undefined, HealthItem>('datasource.health', {
  summary: "Asks one connection's database whether it answers; the key is the connection's key.",
  deadlineMs: 5_000,
});

/** What is to be estimated. */
export interface EstimateRequest {
  /** Checked by the guard, and not run. */
  readonly statement: SqlStatement;
  /** Tables by the names under which the statement reads them, in lower case, as far as that is known. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/**
 * Rows that the engine expects to read, those that it reads again in a nested loop included; where a step makes more rows
 * than are read, that number. `undefined`: it cannot tell.
 */
export const datasourceEstimate = keyed<EstimateRequest, number | undefined>('datasource.estimate', {
  summary: "The engine's own estimate of the rows that a checked statement reads; the key is the connection's key.",
  deadlineMs: 10_000,
});

/** A view, or another relation whose rows are those of tables. */
export interface ViewDefinition {
  readonly schema?: string;
  readonly name: string;
  /** The SELECT that it stands for; without it and `reads`, what it reads is not known. */
  readonly sql?: string;
  /** In place of `sql`: tables of which it may hold every column, as with a partition and the whole. */
  readonly reads?: readonly string[];
}

export const datasourceViews = keyed<undefined, readonly ViewDefinition[]>('datasource.views', {
  summary: "The views of a connection with their definitions; the key is the connection's key.",
  deadlineMs: 60_000,
});
