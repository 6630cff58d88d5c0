/** Reads BIRD's descriptions of columns: a CSV file for each table, in UTF-8 or Windows-1252. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TableDescription } from '../../../kernel/index.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DESCRIPTION_CHARS = 1_000;

/** UTF-8 with or without a byte order mark; what is not UTF-8 is Windows-1252. */
function textOf(path: string): string {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The records of a CSV text. A quote that is never closed ends with the text. */
export function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  // A field, and what ends it: a comma, a line break or the end of the text.
  const field = /(?:"((?:[^"]|"")*)(?:"|$)([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\r|\n|$)/gy;
  for (let found = field.exec(text); found !== null; found = field.exec(text)) {
    const [, quoted, rest = '', plain = '', end] = found;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + rest);
    if (end === ',') continue;
    if (record.some((value) => value.trim() !== '')) records.push(record);
    record = [];
    if (end === '' || field.lastIndex >= text.length) break;
  }
  return records;
}

/** Descriptions by lower-case table and column. */
export function readDescriptions(folder: string): Map<string, Map<string, string>> {
  const tables = new Map<string, Map<string, string>>();
  if (!existsSync(folder)) return tables;
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (!/\.csv$/i.test(file) || statSync(path).size > MAX_BYTES) continue;
    const [header = [], ...rows] = csvRecords(textOf(path));
    const names = header.map((name) => name.trim().toLowerCase());
    const columns = new Map<string, string>();
    for (const row of rows) {
      const of = (name: string) => (row[names.indexOf(name)] ?? '').replace(/\s+/g, ' ').trim();
      const original = of('original_column_name');
      const text = describe(original, of('column_name'), of('column_description'), of('value_description'));
      if (original !== '' && text !== '') columns.set(original.toLowerCase(), text);
    }
    tables.set(file.replace(/\.csv$/i, '').toLowerCase(), columns);
  }
  return tables;
}

/** What says something new, each as a sentence. */
function describe(original: string, name: string, description: string, values: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_]+/g, ' ');
  const said = new Set([plain(original), '']);
  const parts = [name, description, values].filter((part) => {
    const isNew = !said.has(plain(part));
    said.add(plain(part));
    return isNew;
  });
  return parts
    .map((part) => part.replace(/[.\s]*$/, '.'))
    .join(' ')
    .slice(0, MAX_DESCRIPTION_CHARS);
}

/** The same tables with the descriptions as comments of their columns. */
export function described(
  tables: readonly TableDescription[],
  descriptions: ReadonlyMap<string, ReadonlyMap<string, string>>,
): TableDescription[] {
  return tables.map((table) => {
    const known = descriptions.get(table.name.toLowerCase());
    const columns = table.columns.map((column) => {
      const comment = known?.get(column.name.trim().toLowerCase());
      return comment === undefined ? column : { ...column, comment };
    });
    return { ...table, columns };
  });
}
