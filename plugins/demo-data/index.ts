/** Reads demo data sets with their semantic layers. A library, no plugin: commands load them into databases. */
import { join } from 'node:path';
import { demoIn } from './demo-files.ts';
import { type Loaded, type LoadOptions, loadInto } from './load.ts';
import { createDemoFile } from './sqlite-writer.ts';
import type { Demo } from './table.ts';

export type { Loaded, LoadOptions, LoadProgress } from './load.ts';
export type { Demo } from './table.ts';

/** By name. A new one is a folder here and a line. */
export const DEMOS = {
  simple: demoIn(join(import.meta.dirname, 'simple'), join(import.meta.dirname, '..', '..', 'semantic')),
  cybersec: demoIn(join(import.meta.dirname, 'cybersec')),
  ecommerce: demoIn(join(import.meta.dirname, 'ecommerce')),
} as const satisfies Readonly<Record<string, Demo>>;
export type DemoName = keyof typeof DEMOS;

/**
 * Creates the tables of a demo with their keys, rows and indexes in a SQLite, DuckDB or PostgreSQL database: all of
 * them or none. Throws `configuration_error` when the database has one of the tables already or cannot be written.
 */
export const loadDemo = (name: DemoName, options: LoadOptions): Promise<Loaded> => loadInto(DEMOS[name], options);

/** Writes the `simple` demo as a SQLite file, in place of an older one, whose readers keep it. */
export const createSimpleDemo = (path: string): void => createDemoFile(DEMOS.simple, path);
