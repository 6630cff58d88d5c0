/** Reads the definitions of views, which tables show others, and which columns are worked out. */
import type { ViewDefinition } from '../../datasource-kit/index.ts';
import type { Query } from './query.ts';

const OTHERS = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')";

/** A materialized view shows rows that were written earlier, of columns that its SELECT reads, or what else its target has. */
const VIEWS = `SELECT database, name, as_select, create_table_query FROM system.tables
  WHERE engine IN ('View', 'MaterializedView', 'LiveView', 'WindowView') AND NOT startsWith(name, '.inner') AND ${OTHERS}`;

const SHOWING = `SELECT database, name, engine, engine_full FROM system.tables
  WHERE engine IN ('Distributed', 'Buffer', 'Merge', 'Dictionary') AND ${OTHERS}`;

const COMPUTED = `SELECT database, table, name FROM system.columns
  WHERE default_kind IN ('ALIAS', 'MATERIALIZED') AND NOT startsWith(table, '.inner') AND ${OTHERS}`;

const NAME = String.raw`(?:\`(?:[^\`\\]|\\.|\`\`)+\`|[A-Za-z_]\w*)`;
/** Where the rows of a materialized view are, as the server writes its definition. */
const TARGET = new RegExp(
  `^CREATE MATERIALIZED VIEW ${NAME}(?:\\.${NAME})?(?: UUID '[^']*')?(?: REFRESH .*?)? TO (${NAME})\\.(${NAME})`,
);

const TEXT = /'((?:[^'\\]|\\.)*)'/g;

/** The table that a distributed one or a buffer shows: `shop.orders`. Merge tables and dictionaries do not tell theirs. */
function shown(engine: string, full: string): string | undefined {
  const texts = [...full.matchAll(TEXT)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  if (engine === 'Distributed') return texts.length < 3 ? undefined : `${texts[1]}.${texts[2]}`;
  return engine === 'Buffer' && texts.length >= 2 ? `${texts[0]}.${texts[1]}` : undefined;
}

/** A name without its backticks. */
const plain = (name: string) =>
  name.startsWith('`') ? name.slice(1, -1).replace(/\\(.)|``/g, (_, char = '`') => char) : name;

export async function viewsOf(query: Query): Promise<ViewDefinition[]> {
  const views = (await query(VIEWS)).flatMap(([schema, name, sql, definition]) => {
    const view = { schema: String(schema), name: String(name) };
    const [, database, target] = TARGET.exec(String(definition)) ?? [];
    const shows = database === undefined || target === undefined ? [] : [`${plain(database)}.${plain(target)}`];
    // Both hold: what is written from now on, and what is there.
    return [{ ...view, ...(sql && { sql: String(sql) }) }, ...shows.map((table) => ({ ...view, reads: [table] }))];
  });
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
