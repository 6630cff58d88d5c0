/** Reads the definitions of views. */
import type { ViewDefinition } from '../datasource-kit/index.ts';
import type { Query } from './query.ts';

const VIEWS = `SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS
  WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')`;

/** The definition is empty for a login that may not see it. */
export async function viewsOf(query: Query): Promise<ViewDefinition[]> {
  return (await query(VIEWS)).map(([schema, name, sql]) => ({
    schema: schema ?? '',
    name: name ?? '',
    ...(sql && { sql }),
  }));
}
