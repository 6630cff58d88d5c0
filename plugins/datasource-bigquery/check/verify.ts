/** Asks BigQuery itself, by a dry run, whether a statement only reads, and which tables, before it runs. */
import { AtlasError, type SqlStatement } from '../../../kernel/index.ts';
import { EngineTables } from '../../datasource-kit/index.ts';
import { bigquery } from '../dialect.ts';
import { type DryRun, fullName } from './dry-run.ts';

/** Dry-runs a statement. */
export type Ask = (sql: string, params: readonly unknown[]) => Promise<DryRun>;

interface Place {
  readonly project: string;
  readonly dataset: string;
}

export class Verifier {
  readonly #place: Place;
  readonly #tables = new EngineTables();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Throws `sql_refused`, or the engine's own error. */
  async check({ sql, params, tables = [] }: SqlStatement, ask: Ask): Promise<void> {
    const allowed = new Set(tables.map((table) => this.#fullName(table)));
    const { others } = await this.#tables.check({
      key: JSON.stringify([sql, tables]),
      allowed,
      async read() {
        const run = await ask(sql, params);
        if (run.statementType !== 'SELECT') throw refused('The statement is none that only reads rows.');
        if (run.routines > 0) throw refused('The statement calls a function of a dataset.');
        return namesIn(run);
      },
      // A view may be listed beside the tables that it shows.
      views: () => allowed,
      behind: (name) => ({
        key: name,
        read: async () => namesIn(await ask(`SELECT * FROM ${bigquery.rendering.quoteName(name)}`, [])),
      }),
    });
    const [other] = others;
    if (other !== undefined) throw refused(`The statement reads the table "${other}", which is not allowed.`);
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
