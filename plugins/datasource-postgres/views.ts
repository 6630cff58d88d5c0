/** Reads the definitions of views, and which tables are parts of others. */
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

export async function viewsOf(query: Query): Promise<ViewDefinition[]> {
  const views = (await query(VIEWS)).map(
    ([schema, name, sql]): ViewDefinition => ({
      schema: schema ?? '',
      name: name ?? '',
      ...(sql !== null && sql !== undefined && { sql: sql.replace(/;\s*$/, '') }),
    }),
  );
  const reads = new Map<string, { schema: string; name: string; reads: string[] }>();
  const add = (schema: string, name: string, other: string) => {
    const table = reads.get(`${schema}.${name}`) ?? { schema, name, reads: [] };
    reads.set(`${schema}.${name}`, table);
    table.reads.push(other);
  };
  for (const [schema, name, ofSchema, of] of await query(PARTS)) {
    add(schema ?? '', name ?? '', `${ofSchema}.${of}`);
    add(ofSchema ?? '', of ?? '', `${schema}.${name}`);
  }
  return [...views, ...reads.values()];
}
