/** Reads the definitions of views, which tables show others, and which columns are worked out. */
import type { ViewDefinition } from '../datasource-kit/index.ts';
import type { Query } from './query.ts';

const OTHERS = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')";

/** A materialized view holds rows of its own, which may be of any column that its SELECT reads. */
const VIEWS = `SELECT database, name, as_select FROM system.tables
  WHERE engine IN ('View', 'MaterializedView', 'LiveView', 'WindowView') AND NOT startsWith(name, '.inner') AND ${OTHERS}`;

const SHOWING = `SELECT database, name, engine, engine_full FROM system.tables
  WHERE engine IN ('Distributed', 'Buffer', 'Merge', 'Dictionary') AND ${OTHERS}`;

const COMPUTED = `SELECT database, table, name FROM system.columns
  WHERE default_kind IN ('ALIAS', 'MATERIALIZED') AND NOT startsWith(table, '.inner') AND ${OTHERS}`;

const TEXT = /'((?:[^'\\]|\\.)*)'/g;

/** The table that a distributed one or a buffer shows: `shop.orders`. Merge tables and dictionaries do not tell theirs. */
function shown(engine: string, full: string): string | undefined {
  const texts = [...full.matchAll(TEXT)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  if (engine === 'Distributed') return texts.length < 3 ? undefined : `${texts[1]}.${texts[2]}`;
  return engine === 'Buffer' && texts.length >= 2 ? `${texts[0]}.${texts[1]}` : undefined;
}

export async function viewsOf(query: Query): Promise<ViewDefinition[]> {
  const views = (await query(VIEWS)).map(([schema, name, sql]) => ({
    schema: String(schema),
    name: String(name),
    ...(sql && { sql: String(sql) }),
  }));
  const showing = (await query(SHOWING)).map(([schema, name, engine, full]) => {
    const table = shown(String(engine), String(full));
    return { schema: String(schema), name: String(name), ...(table !== undefined && { reads: [table] }) };
  });
  const columns = (await query(COMPUTED)).map(([schema, name, column]) => ({
    schema: String(schema),
    name: String(name),
    computed: [String(column)],
  }));
  return [...views, ...showing, ...columns];
}
