/** Reads the definitions of views, which tables are parts of others, and which columns are generated. */
import type { ViewDefinition } from '../datasource-kit/index.ts';
import type { Query } from './query.ts';

const OTHERS = `n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`;

const VIEWS = `SELECT n.nspname, c.relname, pg_get_viewdef(c.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('v', 'm') AND ${OTHERS}`;

/** Partitions and inherited tables: rows of the one are rows of the other. */
const PARTS = `SELECT n.nspname, c.relname, pn.nspname, p.relname
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace pn ON pn.oid = p.relnamespace
  WHERE c.relkind IN ('r', 'p', 'f') AND ${OTHERS}`;

const generatedColumns = (condition: string) => `SELECT n.nspname, c.relname, a.attname
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${condition} AND NOT a.attisdropped AND ${OTHERS}`;

interface Table {
  readonly schema: string;
  readonly name: string;
  readonly parts: string[];
  readonly partOf: string[];
  readonly computed: string[];
}

/** `isGenerated`: the condition on the column `a`. */
export async function viewsOf(query: Query, isGenerated = "a.attgenerated <> ''"): Promise<ViewDefinition[]> {
  const views = (await query(VIEWS)).map(
    ([schema, name, sql]): ViewDefinition => ({
      schema: schema ?? '',
      name: name ?? '',
      ...(sql !== null && sql !== undefined && { sql: sql.replace(/;\s*$/, '') }),
    }),
  );
  const tables = new Map<string, Table>();
  const table = (schema: string, name: string): Table => {
    const key = JSON.stringify([schema, name]);
    const known = tables.get(key) ?? { schema, name, parts: [], partOf: [], computed: [] };
    tables.set(key, known);
    return known;
  };
  for (const [schema = '', name = '', ofSchema = '', of = ''] of (await query(PARTS)) as string[][]) {
    table(schema, name).partOf.push(`${ofSchema}.${of}`);
    table(ofSchema, of).parts.push(`${schema}.${name}`);
  }
  for (const [schema = '', name = '', column = ''] of (await query(generatedColumns(isGenerated))) as string[][]) {
    table(schema, name).computed.push(column);
  }
  return [...views, ...tables.values()];
}
