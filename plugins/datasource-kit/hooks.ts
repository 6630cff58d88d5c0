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
