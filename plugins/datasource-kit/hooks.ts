/** Defines the hooks of datasources besides those of the kernel. */
import { collect, first, type HealthItem, keyed, type SqlStatement } from '../../kernel/index.ts';
import type { DatasourceEngine } from './engines.ts';
import type { EstimateRequest } from './estimate-request.ts';

import type { ResultMemory } from './values.ts';
import type { ViewDefinition } from './view-definition.ts';

/** A tap returns the memory of whatever asks; of a statement without, only the limits of one result hold. */
export const resultMemory = first<SqlStatement, ResultMemory>('result.memory', {
  summary: 'Asked when a statement starts to run: how much memory its rows may take, besides the limits of one result.',
});

export const datasourceEngines = collect<undefined, DatasourceEngine>('datasource.engines', {
  summary: 'Database engines, for connections that are made while the service runs.',
});

export const connectionOwners = collect<undefined, string>('datasource.owners', {
  summary: 'Organizations that have connections of their own, for what is done for each of them behind requests.',
});

export const datasourceHealth = keyed<undefined, HealthItem>('datasource.health', {
  summary: "Asks one connection's database whether it answers; the key is the connection's key.",
  deadlineMs: 5_000,
});

/**
 * Rows that the engine expects to read, those that it reads again in a nested loop included; where a step makes more rows
 * than are read, that number. `undefined`: it cannot tell.
 */
export const datasourceEstimate = keyed<EstimateRequest, number | undefined>('datasource.estimate', {
  summary: "The engine's own estimate of the rows that a checked statement reads; the key is the connection's key.",
  deadlineMs: 10_000,
});

export const datasourceViews = keyed<undefined, readonly ViewDefinition[] | undefined>('datasource.views', {
  summary:
    "The views of a connection with their definitions, or nothing where it does not tell; the key is the connection's key.",
  deadlineMs: 60_000,
});
