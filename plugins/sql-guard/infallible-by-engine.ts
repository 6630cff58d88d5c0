/** Lists, by engine, what never fails whatever values it meets: functions, operators, forms and aggregates. */
import type { Dialect } from '../semantic-query/index.ts';
import type { Call } from '../sql-kit/ast/tree.ts';
import { fold } from '../sql-kit/dialects/sql-dialect.ts';

/** What is not named here may fail. */
export interface Engine {
  /** Comparisons and conversions never fail; otherwise operands have to be of kinds that go together. */
  readonly converts?: boolean;
  /** No comparison and no CASE of several results is known to succeed. */
  readonly comparisonsFail?: boolean;
  /** Of several rows of a scalar subquery the first is taken. */
  readonly takesFirstRow?: boolean;
  readonly operators?: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  readonly forms: RegExp;
  readonly aggregates: ReadonlySet<string>;
}

export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Operands are written as `§`. */
const NULL_TEST = '§ IS (?:NOT )?NULL';
export const TRUTH_TEST = '§ IS (?:NOT )?(?:TRUE|FALSE|UNKNOWN|NULL)';

export const engines: Readonly<Record<Dialect, Engine>> = {
  postgres: {
    functions: words('lower upper now'),
    forms: new RegExp(`^${TRUTH_TEST}$`),
    aggregates: words('count sum avg min max string_agg array_agg'),
  },
  duckdb: {
    comparisonsFail: true,
    functions: new Set(),
    forms: new RegExp(`^${NULL_TEST}$`),
    aggregates: words('count sum avg min max group_concat string_agg array_agg list median'),
  },
  mysql: {
    converts: true,
    functions: words(
      'lower upper now curdate date year month day quarter date_format date_add date_sub coalesce ifnull nullif if',
    ),
    forms: new RegExp(
      `^(?:${TRUTH_TEST}|INTERVAL § [A-Z_]+|EXTRACT\\([A-Z]+ FROM §\\)|CAST\\(§ AS (?:BINARY|CHAR|DATE|DATETIME|TIME|DECIMAL|DOUBLE|SIGNED|UNSIGNED)(?:\\([\\d, ]+\\))?\\)|MATCH \\(§(?:, §)*\\) AGAINST \\(§[A-Z ]*\\))$`,
    ),
    aggregates: words('count sum avg min max group_concat'),
  },
  sqlite: {
    converts: true,
    takesFirstRow: true,
    operators: words('+ - * / %'),
    functions: words(
      'lower upper length coalesce ifnull nullif iif if date time datetime julianday strftime unixepoch round',
    ),
    forms: /^$/,
    aggregates: words('count sum avg min max total group_concat string_agg median'),
  },
};

/** Whether the name and the number of arguments are those of an aggregate of the engine's own. */
export function isAggregateName({ name, schema, args, star }: Call, engine: Engine): boolean {
  const own = fold(name);
  if ((schema !== undefined && schema !== 'pg_catalog') || !engine.aggregates.has(own)) return false;
  // With more arguments SQLite takes the largest of them, row by row.
  return star || !/^(?:min|max)$/.test(own) || args.length === 1;
}
