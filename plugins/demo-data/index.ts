/** The data of the demo. No plugin of its own: the `demo` command writes the file and opens it like any database. */
export { generateSimpleDemo, type SimpleDemo } from './simple.ts';
export { createSimpleDemo } from './sqlite-file.ts';
