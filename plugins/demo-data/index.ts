/** Generates the demo's data. A library, no plugin: the `demo` command writes the file and opens it like any database. */
export { Random, weigh } from './random.ts';
export { generateSimpleDemo, type SimpleDemo } from './simple.ts';
export { createSimpleDemo } from './sqlite-file.ts';
