/** Writes the generated tables into `docs/`. `--check` writes nothing and fails when one is stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { generatedTables, type Tables } from './docs-tables.ts';

const BLOCK = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** A page with its generated blocks renewed. An unknown block is an error. */
export function renew(page: string, tables: Tables): string {
  return page.replace(BLOCK, (_, start: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`No generator for "${name}"; known: ${Object.keys(tables).join(', ')}.`);
    return `${start}\n${table}\n\n${end}`;
  });
}

/** The pages of a table: each generated table stands on exactly one page. */
export function pagesWithBlocks(pages: readonly string[]): string[] {
  return pages.filter((path) => readFileSync(path, 'utf8').includes('<!-- generated: '));
}

if (import.meta.main) {
  const { globSync } = await import('node:fs');
  const tables = await generatedTables();
  for (const path of pagesWithBlocks(globSync('{docs/*,README,kernel/README}.md'))) {
    const page = readFileSync(path, 'utf8');
    const renewed = renew(page, tables);
    if (renewed !== page) writeFileSync(path, renewed);
  }
}
