/** Reads the definitions of views, which tables merge others, and which columns are generated. */
import type { ViewDefinition } from '../datasource-kit/index.ts';
import type { Query } from './query.ts';

const OTHERS = "TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";

const VIEWS = `SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE ${OTHERS}`;

/** Which tables they show is not in the catalogue. */
const MERGED = `SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE ENGINE = 'MRG_MyISAM' AND ${OTHERS}`;

const GENERATED = `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS
  WHERE EXTRA REGEXP 'VIRTUAL|STORED|PERSISTENT' AND ${OTHERS}`;

/** The definition is empty for a login that may not see it. */
export async function viewsOf(query: Query): Promise<ViewDefinition[]> {
  const views = [...(await query(VIEWS)), ...(await query(MERGED))].map(([schema, name, sql]) => ({
    schema: schema ?? '',
    name: name ?? '',
    ...(sql && { sql }),
  }));
  const columns = (await query(GENERATED)).map(([schema, name, column]) => ({
    schema: schema ?? '',
    name: name ?? '',
    computed: [column ?? ''],
  }));
  return [...views, ...columns];
}
