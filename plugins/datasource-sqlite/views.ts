/** Reads the definitions of views, what virtual tables show of other tables, and which columns are generated. */
import type { Database } from 'better-sqlite3';
import type { ViewDefinition } from '../datasource-kit/index.ts';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly sql: string;
}

const QUOTED = String.raw`"(?:[^"]|"")*"|\[[^\]]*\]|\x60(?:[^\x60]|\x60\x60)*\x60|'(?:[^']|'')*'`;
const NAME = String.raw`(?:${QUOTED}|[^\s"'\x60([.]+)`;
/** As SQLite keeps it: from CREATE on as it was written. */
const HEAD = new RegExp(
  String.raw`^\s*CREATE\s+VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?${NAME}(?:\s*\.\s*${NAME})?\s*(?:\([^()]*\)\s*)?AS\s+`,
  'i',
);
const MODULE = /^\s*CREATE\s+VIRTUAL\s+TABLE\s[\s\S]*?\sUSING\s+"?(\w+)/i;
/** Modules whose tables show nothing but their own rows, or those of the table that `content` names. */
const OWN_ROWS = /^(?:fts[345]|rtree(?:_i32)?|geopoly)$/i;
const CONTENT = new RegExp(String.raw`[\s(,]content\s*=\s*(${QUOTED}|[^\s,)"']+)`, 'i');

const GENERATED = `SELECT m.name, x.name FROM main.sqlite_schema m, pragma_table_xinfo(m.name, 'main') x
  WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND x.hidden IN (2, 3)`;

export function viewsOf(db: Database): ViewDefinition[] {
  const rows = db
    .prepare<[], Row>(
      "SELECT name, type, sql FROM main.sqlite_schema WHERE type = 'view' OR (type = 'table' AND sql LIKE 'CREATE VIRTUAL%')",
    )
    .all();
  const views = rows.flatMap(({ name, type, sql }): ViewDefinition[] => {
    if (type === 'view') return [{ name, ...(HEAD.test(sql) && { sql: sql.replace(HEAD, '') }) }];
    if (!OWN_ROWS.test(MODULE.exec(sql)?.[1] ?? '')) return [{ name }];
    const content = unquoted(CONTENT.exec(sql)?.[1] ?? '');
    return content === '' ? [] : [{ name, reads: [content] }];
  });
  const columns = db.prepare<[], [string, string]>(GENERATED).raw().all();
  return [...views, ...columns.map(([name, column]) => ({ name, computed: [column] }))];
}

function unquoted(name: string): string {
  const quote = name[0] ?? '';
  if (!/["[\x60']/.test(quote)) return name;
  const inner = name.slice(1, -1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}
