/** Writes the generated tables into `docs/`, and the alerts and the dashboard into `operations/`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { generatedTables, type Tables } from './docs-tables.ts';
import { alertRules } from './operations/alerts.ts';
import { dashboard } from './operations/dashboard.ts';

const BLOCK = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** A page with its generated blocks renewed. An unknown block is an error. */
export function renew(page: string, tables: Tables): string {
  return page.replace(BLOCK, (_, start: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`No generator for "${name}"; known: ${Object.keys(tables).join(', ')}.`);
    return `${start}\n${table}\n\n${end}`;
  });
}

/** Whole files that are generated, by their path. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'operations/prometheus/alerts.yml': alertRules(),
  'operations/grafana/atlas.json': dashboard(),
});

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
  for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(path, text);
}
