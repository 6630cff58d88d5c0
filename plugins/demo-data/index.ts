/** Generates demo data sets with their semantic layers. A library, no plugin: commands load them into databases. */
import { cybersec } from './cybersec/demo.ts';
import { ecommerce } from './ecommerce/demo.ts';
import { type Loaded, type LoadOptions, loadInto } from './load.ts';
import { simple } from './simple/demo.ts';
import { createDemoFile } from './sqlite-writer.ts';
import type { Demo } from './table.ts';

export type { Loaded, LoadOptions, LoadProgress } from './load.ts';
export { Random, weigh } from './random.ts';
export type { Demo } from './table.ts';

/** By name. A new one is a folder here and a line. */
export const DEMOS = { simple, cybersec, ecommerce } as const satisfies Readonly<Record<string, Demo>>;
export type DemoName = keyof typeof DEMOS;

/**
 * Creates the tables of a demo with their keys, rows and indexes in a SQLite, DuckDB or PostgreSQL database: all of
 * them or none. Throws `configuration_error` when the database has one of the tables already or cannot be written.
 */
export const loadDemo = (name: DemoName, options: LoadOptions): Promise<Loaded> => loadInto(DEMOS[name], options);

/** Writes the `simple` demo as a SQLite file, in place of an older one, whose readers keep it. */
export const createSimpleDemo = (path: string): void => createDemoFile(simple, path);
