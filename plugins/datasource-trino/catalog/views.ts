/** Reads the definitions of the views and materialized views of the connection's catalog. */
import type { ViewDefinition } from '../../datasource-kit/index.ts';
import { trino } from '../dialect.ts';
import type { Query } from './describe.ts';

const { quoteName, text } = trino.rendering;

export async function viewsOf(query: Query, catalog: string): Promise<ViewDefinition[]> {
  const views = await query(
    `SELECT table_schema, table_name, view_definition FROM ${quoteName(catalog)}.information_schema.views WHERE table_schema <> 'information_schema'`,
  );
  // Rows that were written earlier, of tables that its definition reads.
  const materialized = await query(
    `SELECT schema_name, name, definition FROM system.metadata.materialized_views WHERE catalog_name = ${text(catalog)}`,
  );
  return [...views, ...materialized].map(([schema, name, sql]) => ({
    schema: String(schema),
    name: String(name),
    ...(typeof sql === 'string' && sql !== '' && { sql }),
  }));
}
