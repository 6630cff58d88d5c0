/** Reads the definitions of views, and what full-text tables show of other tables. */
import type { Database } from 'better-sqlite3';
import type { ViewDefinition } from '../datasource-kit/index.ts';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly sql: string;
}

const NAME = String.raw`(?:"(?:[^"]|"")*"|\[[^\]]*\]|\x60[^\x60]*\x60|'(?:[^']|'')*'|[^\s"'\x60([.]+)`;
/** As SQLite keeps it: from CREATE on as it was written. */
const HEAD = new RegExp(
  String.raw`^\s*CREATE\s+VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?${NAME}(?:\s*\.\s*${NAME})?\s*(?:\([^()]*\)\s*)?AS\s+`,
  'i',
);
const CONTENT = /content\s*=\s*['"]?(\w+)/i;

export function viewsOf(db: Database): ViewDefinition[] {
  const rows = db
    .prepare<[], Row>(
      "SELECT name, type, sql FROM main.sqlite_schema WHERE type = 'view' OR (type = 'table' AND sql LIKE 'CREATE VIRTUAL%')",
    )
    .all();
  return rows.flatMap(({ name, type, sql }): ViewDefinition[] => {
    if (type === 'view') return [{ name, ...(HEAD.test(sql) && { sql: sql.replace(HEAD, '') }) }];
    const content = CONTENT.exec(sql)?.[1];
    return content === undefined ? [] : [{ name, reads: [content] }];
  });
}
