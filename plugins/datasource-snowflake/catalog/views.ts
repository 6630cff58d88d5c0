/** Reads the definitions of the views of the connection's database. */
import type { ViewDefinition } from '../../datasource-kit/index.ts';
import { snowflake } from '../dialect.ts';
import type { Ask } from './describe.ts';

/** What a definition begins with: `create or replace secure view NAME (…) comment = '…' as`. */
const HEAD = /^\s*create\s(?:'(?:[^'\\]|\\[\s\S])*'|[^'])*?\sas\s+(?=select\b|with\b|\()/i;

export async function viewsOf(ask: Ask, database: string): Promise<ViewDefinition[]> {
  const information = `${snowflake.rendering.quoteName(database)}.INFORMATION_SCHEMA`;
  // A materialized view is listed among the tables, and not sure to be among the views.
  const views = await ask(
    `SELECT T.TABLE_SCHEMA, T.TABLE_NAME, V.VIEW_DEFINITION FROM ${information}.TABLES T LEFT JOIN ${information}.VIEWS V ON V.TABLE_SCHEMA = T.TABLE_SCHEMA AND V.TABLE_NAME = T.TABLE_NAME WHERE T.TABLE_TYPE LIKE '%VIEW%' AND T.TABLE_SCHEMA <> 'INFORMATION_SCHEMA'`,
  );
  return views.map(({ TABLE_SCHEMA: schema, TABLE_NAME: name, VIEW_DEFINITION: definition }) => {
    // Whoever may not see that of a secure view gets none.
    const sql = definition?.replace(HEAD, '').replace(/;\s*$/, '');
    return { schema: String(schema), name: String(name), ...(sql && { sql }) };
  });
}
