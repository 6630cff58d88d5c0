/** Asks BigQuery itself, by a dry run, whether a statement only reads, and which tables, before it runs. */
import { AtlasError, type SqlStatement } from '../../../kernel/index.ts';
import { bigquery } from '../../sql-kit/index.ts';
import { type DryRun, fullName } from './dry-run.ts';

/** Dry-runs a statement. */
export type Ask = (sql: string, params: readonly unknown[]) => Promise<DryRun>;

interface Place {
  readonly project: string;
  readonly dataset: string;
}

const MAX_CACHED = 500;
/** What a view shows may change. */
const VIEW_LIFE_MS = 60_000;

export class Verifier {
  readonly #place: Place;
  readonly #passed = new Set<string>();
  /** Tables that a named one shows: those behind a view, or itself. */
  readonly #shown = new Map<string, { readonly tables: ReadonlySet<string>; readonly until: number }>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Throws `sql_refused`, or the engine's own error. */
  async check({ sql, params, tables = [] }: SqlStatement, ask: Ask): Promise<void> {
    const key = JSON.stringify([sql, tables]);
    if (this.#passed.has(key)) return;
    const run = await ask(sql, params);
    if (run.statementType !== 'SELECT') throw refused('The statement is none that only reads rows.');
    if (run.routines > 0) throw refused('The statement calls a function of a dataset.');
    const read = namesIn(run);
    const allowed = new Set(tables.map((table) => this.#fullName(table)));
    const others = [...read].filter((table) => !allowed.has(table));
    if (others.length > 0) {
      const behind = new Set<string>();
      for (const name of allowed) for (const one of await this.#behind(name, ask)) behind.add(one);
      const other = others.find((table) => !behind.has(table));
      if (other !== undefined) throw refused(`The statement reads the table "${other}", which is not allowed.`);
    }
    if (this.#passed.size >= MAX_CACHED) this.#passed.clear();
    if (others.length === 0) this.#passed.add(key);
  }

  async #behind(name: string, ask: Ask): Promise<ReadonlySet<string>> {
    const known = this.#shown.get(name);
    if (known !== undefined && known.until > performance.now()) return known.tables;
    const tables = namesIn(await ask(`SELECT * FROM ${bigquery.rendering.quoteName(name)}`, []));
    if (this.#shown.size >= MAX_CACHED) this.#shown.clear();
    this.#shown.set(name, { tables, until: performance.now() + VIEW_LIFE_MS });
    return tables;
  }

  /** `project.dataset.table`. */
  #fullName(table: string): string {
    const { project, dataset } = this.#place;
    const parts = table.split('.');
    if (parts.length === 1) return `${project}.${dataset}.${table}`;
    return parts.length === 2 ? `${project}.${table}` : table;
  }
}

function namesIn({ tables }: DryRun): ReadonlySet<string> {
  if (tables === undefined) throw refused('What the statement reads cannot be told in full.');
  return new Set(tables.map(fullName));
}

function refused(message: string): AtlasError {
  return new AtlasError(message, {
    code: 'sql_refused',
    reason: 'E_BIGQUERY_REFUSED',
    hint: 'Read only tables of the semantic layer, and fewer than 50 at once, those behind views included.',
  });
}
