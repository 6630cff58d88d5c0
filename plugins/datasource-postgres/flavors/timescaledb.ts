/** Describes TimescaleDB: PostgreSQL whose hypertables keep their rows in chunks. */
import type { ViewDefinition } from '../../datasource-kit/index.ts';
import { postgres } from '../../sql-kit/index.ts';
import { type CatalogRules, describeSchemas, PARTITIONS } from '../describe.ts';
import { estimatedRows, PLAN_RULES, type PlanRules } from '../estimate.ts';
import type { Query } from '../query.ts';
import { viewsOf } from '../views.ts';
import { engineDialect } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

const EXTENSION_SCHEMA = `SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
  WHERE e.extname = 'timescaledb'`;

const hypertableRows = (extension: string) => `SELECT c.oid::text, ${extension}.approximate_row_count(c.oid)::text
  FROM timescaledb_information.hypertables h
  JOIN pg_namespace n ON n.nspname = h.hypertable_schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = h.hypertable_name`;

const CATALOG: CatalogRules = {
  ownSchema: `n.nspname ~ '^_?timescaledb_'`,
  async storedElsewhere(query) {
    const [[extension] = []] = await query(EXTENSION_SCHEMA);
    const partitions = await query(PARTITIONS);
    return extension ? [...partitions, ...(await query(hypertableRows(extension)))] : partitions;
  },
};

/** The view itself and where its rows are stored, both by the query that made them. */
const AGGREGATES = `SELECT view_schema, view_name, materialization_hypertable_schema, materialization_hypertable_name,
  view_definition FROM timescaledb_information.continuous_aggregates`;

/** A row of a compressed chunk holds up to so many. */
const COMPRESSED_ROWS = 1_000;

const PLAN: PlanRules = {
  ...PLAN_RULES,
  rowsInOne: (node) =>
    /^(?:DecompressChunk|ColumnarScan)$/.test(node['Custom Plan Provider'] ?? '') ? COMPRESSED_ROWS : 1,
};

async function viewsWithAggregates(query: Query): Promise<ViewDefinition[]> {
  const aggregates = (await query(AGGREGATES)).flatMap(([schema, name, ofSchema, of, text]) => {
    const sql = (text ?? '').replace(/;\s*$/, '');
    return [
      { schema: schema ?? '', name: name ?? '', sql },
      { schema: ofSchema ?? '', name: of ?? '', sql },
    ];
  });
  const known = new Set(aggregates.map(({ schema, name }) => JSON.stringify([schema, name])));
  const others = (await viewsOf(query)).filter(
    ({ schema, name, parts, partOf }) => parts || partOf || !known.has(JSON.stringify([schema, name])),
  );
  return [...others, ...aggregates];
}

/** These make their result of their arguments alone. */
const functions = new Set([...postgres.functions, 'time_bucket', 'first', 'last']);

export const timescaledb: Flavor = {
  ...postgresql,
  name: 'timescaledb',
  dialect: engineDialect(
    {
      name: 'timescaledb',
      label: 'TimescaleDB (PostgreSQL)',
      advice: `${postgres.advice} time_bucket('15 minutes', t) gives the start of the interval; first(value, t) and last(value, t) are the values at the earliest and latest t.`,
      functions,
    },
    { schemas: /^_?timescaledb_|^toolkit_experimental$/ },
  ),
  schemes: ['timescaledb'],
  describe: (query, withUnreadable) => describeSchemas(query, withUnreadable, CATALOG),
  views: viewsWithAggregates,
  estimate: (query, sql, params) => estimatedRows(query, sql, params, PLAN),
};
