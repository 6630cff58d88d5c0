/** Reads one SQLite file with the SQLite of Node, inside a process of the kit. */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TableDescription } from 'atlas-query';
import type { OpenEngine, Value, WireParam } from 'atlas-query/plugins/datasource-kit';

class MissingFile extends Error {}
class Refusal extends Error {}

const TABLES = `SELECT name, type FROM pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT GLOB 'sqlite_*' ORDER BY name`;

/** Values to bind travel as JSON. */
function bound(param: WireParam): SQLInputValue {
  if (typeof param === 'boolean') return param ? 1 : 0;
  if (typeof param !== 'object' || param === null) return param;
  if ('integer' in param) return BigInt(param.integer);
  return 'base64' in param ? Buffer.from(param.base64, 'base64') : param.timestamp;
}

export const openEngine: OpenEngine = ([path = '']) => {
  let opened: DatabaseSync | undefined;
  const database = () => {
    if (!existsSync(path)) throw new MissingFile();
    opened ??= new DatabaseSync(path, { readOnly: true });
    return opened;
  };

  return {
    retireAboveBytes: 128 * 1024 * 1024,

    ping() {
      database().prepare('PRAGMA schema_version').get();
    },

    async execute({ sql, params }, rows) {
      if (!/^\s*(?:select|with|values)\b/i.test(sql)) throw new Refusal('Only statements that read can be run.');
      const statement = database().prepare(sql);
      // SQLite prepares the first statement of a text and leaves the rest.
      if (statement.sourceSQL.trim().length < sql.trim().length) throw new Refusal('Only one statement can be run.');
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      rows.begin(statement.columns().map(({ name }) => name));
      for (const row of statement.iterate(...params.map(bound))) {
        if (!rows.add(row as unknown as Value[])) break;
        if (rows.isSending) await rows.sent();
      }
    },

    describe() {
      const columnsOf = database().prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid');
      return database()
        .prepare(TABLES)
        .all()
        .map((table): TableDescription => {
          const columns = columnsOf.all(String(table.name));
          const keys = columns.filter(({ pk }) => pk !== 0).sort((a, b) => Number(a.pk) - Number(b.pk));
          return {
            name: String(table.name),
            kind: table.type === 'view' ? 'view' : 'table',
            columns: columns.map(({ name, type, notnull }) => ({
              name: String(name),
              type: String(type),
              nullable: notnull === 0,
            })),
            primaryKey: keys.map(({ name }) => String(name)),
            foreignKeys: [],
          };
        });
    },

    failureOf(error) {
      if (error instanceof MissingFile) return { kind: 'missing', code: '', message: '' };
      const message = error instanceof Error ? error.message : String(error);
      return { kind: error instanceof Refusal ? 'refused' : 'engine', code: '', message };
    },
  };
};
