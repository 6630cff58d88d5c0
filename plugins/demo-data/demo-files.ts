/** Reads a demo from its folder: `tables.yml` declares the tables, `rows.json.br` has the values of each column. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { parse } from 'yaml';
import type { Demo, Row, Table, Value } from './table.ts';

/** The values of a column stand together because they compress to two thirds of what rows do. */
type Values = Readonly<Record<string, Readonly<Record<string, readonly Value[]>>>>;

export function demoIn(folder: string, layer = join(folder, 'semantic')): Demo {
  let tables: readonly Table[] | undefined;
  return {
    name: basename(folder),
    layer,
    get tables() {
      tables ??= parse(readFileSync(join(folder, 'tables.yml'), 'utf8')) as Table[];
      return tables;
    },
    rows: () => {
      const json = brotliDecompressSync(readFileSync(join(folder, 'rows.json.br')));
      const values = JSON.parse(json.toString()) as Values;
      return Object.fromEntries(Object.entries(values).map(([table, columns]) => [table, rowsOf(columns)]));
    },
  };
}

function rowsOf(columns: Values[string]): Row[] {
  const names = Object.keys(columns);
  const [first = []] = Object.values(columns);
  return first.map((_, index) => Object.fromEntries(names.map((name) => [name, columns[name]?.[index] ?? null])));
}
