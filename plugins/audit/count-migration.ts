/**
 * Keeps how many entries each hour has, by result, connection and surface. Triggers of the database do it: whoever writes
 * an entry, the sums are right.
 */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import { type InternalDb, migration } from '../internal-db/index.ts';

export const COUNTS_TABLE = 'audit_counts';

const KEY = 'org_id, hour, success, connection_id, surface, shard';
const COLUMNS = `${KEY}, total`;
const GROUPS = '1, 2, 3, 4, 5';

const HOUR = {
  sqlite: (row: string) => `substr(${row}timestamp, 1, 13)`,
  postgres: (row: string) => `to_char(${row}timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24')`,
};

/** What an entry is counted by. `row`: empty, or the name of the row with a dot. */
const groupsOf = (dialect: InternalDb['dialect'], row = '') =>
  `coalesce(${row}org_id, ''), ${HOUR[dialect](row)}, ${row}success, coalesce(${row}connection_id, ''), ${row}surface`;

/** One row for all: a file has one writer. */
const SQLITE_SUM = (row: 'NEW' | 'OLD', sign: '' | '-') => `
  INSERT INTO ${COUNTS_TABLE} (${COLUMNS})
    SELECT ${groupsOf('sqlite', `${row}.`)}, 0, ${sign}1
      WHERE ${row}.deleted_at IS NULL
    ON CONFLICT (${KEY}) DO UPDATE SET total = total + excluded.total;`;

const SQLITE = ['INSERT', 'UPDATE', 'DELETE'].map(
  (operation) => `CREATE TRIGGER audit_log_counted_${operation.toLowerCase()} AFTER ${operation} ON audit_log BEGIN
    ${operation === 'INSERT' ? '' : SQLITE_SUM('OLD', '-')}${operation === 'DELETE' ? '' : SQLITE_SUM('NEW', '')} END`,
);

/** A row for each connection, so that no transaction waits for another one's. */
const POSTGRES_SUM = (rows: 'added' | 'gone', sign: '' | '-') => `
  INSERT INTO ${COUNTS_TABLE} AS counts (${COLUMNS})
    SELECT ${groupsOf('postgres')}, pg_backend_pid(), ${sign}count(*)
      FROM ${rows} WHERE deleted_at IS NULL GROUP BY ${GROUPS}
    ON CONFLICT (${KEY}) DO UPDATE SET total = counts.total + excluded.total;`;

const POSTGRES = [
  `CREATE FUNCTION audit_log_counted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN ${POSTGRES_SUM('gone', '-')} END IF;
      IF TG_OP <> 'DELETE' THEN ${POSTGRES_SUM('added', '')} END IF;
      RETURN NULL;
    END $$`,
  ...[
    ['INSERT', 'NEW TABLE AS added'],
    ['UPDATE', 'OLD TABLE AS gone NEW TABLE AS added'],
    ['DELETE', 'OLD TABLE AS gone'],
  ].map(
    ([
      operation = '',
      tables,
    ]) => `CREATE TRIGGER audit_log_counted_${operation.toLowerCase()} AFTER ${operation} ON audit_log
      REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION audit_log_counted()`,
  ),
];

const DROP = {
  postgres: ['DROP FUNCTION audit_log_counted() CASCADE', `DROP TABLE ${COUNTS_TABLE}`],
  sqlite: [
    ...['insert', 'update', 'delete'].map((operation) => `DROP TRIGGER audit_log_counted_${operation}`),
    `DROP TABLE ${COUNTS_TABLE}`,
  ],
};

async function countEntries(trx: Knex.Transaction, dialect: InternalDb['dialect']): Promise<void> {
  await trx.schema.createTable(COUNTS_TABLE, (table) => {
    // Empty: what belongs to no organization.
    table.text('org_id').notNullable();
    // In UTC: `2026-01-31T09`.
    table.text('hour').notNullable();
    table.boolean('success').notNullable();
    // Empty: of none.
    table.text('connection_id').notNullable();
    table.text('surface').notNullable();
    table.integer('shard').notNullable();
    table.bigInteger('total').notNullable();
    table.primary(KEY.split(', '));
  });
  await trx.raw(`INSERT INTO ${COUNTS_TABLE} (${COLUMNS})
    SELECT ${groupsOf(dialect)}, 0, count(*) FROM audit_log WHERE deleted_at IS NULL GROUP BY ${GROUPS}`);
  for (const sql of dialect === 'postgres' ? POSTGRES : SQLITE) await trx.raw(sql);
}

/** From here on nobody else writes entries that would be counted twice, or not at all. */
const LOCK = { postgres: ['LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE'], sqlite: [] };

const INDEXES = [
  'DROP INDEX audit_log_by_org',
  'DROP INDEX audit_log_by_user',
  'CREATE INDEX audit_log_pages ON audit_log (org_id, timestamp, id, success) WHERE deleted_at IS NULL',
  'CREATE INDEX audit_log_user_pages ON audit_log (org_id, user_id, timestamp, id, success) WHERE deleted_at IS NULL',
  'CREATE INDEX audit_log_failures ON audit_log (org_id, timestamp, id) WHERE deleted_at IS NULL AND NOT success',
];

/** Counting by index needs pages that are known to be visible to all: autovacuum looks after them sooner. */
const VACUUM = `ALTER TABLE audit_log SET (autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_vacuum_insert_threshold = 10000, autovacuum_analyze_scale_factor = 0.02)`;

export const countsAndPages = (dialect: InternalDb['dialect']): Migration =>
  migration('0005-counts-and-pages', async (trx) => {
    for (const sql of LOCK[dialect]) await trx.raw(sql);
    await countEntries(trx, dialect);
    const version =
      dialect === 'postgres' ? await trx.raw("SELECT current_setting('server_version_num')::int AS number") : undefined;
    const vacuum = version !== undefined && version.rows[0].number >= 130_000 ? [VACUUM] : [];
    for (const sql of [...INDEXES, ...vacuum]) await trx.raw(sql);
  });

/** Indexes of filters and orders that came later; the sums are made anew, as they may be of hours and results alone. */
export const countsOfSources = (dialect: InternalDb['dialect']): Migration =>
  migration('0006-sources-and-orders', async (trx) => {
    for (const sql of [...LOCK[dialect], ...DROP[dialect]]) await trx.raw(sql);
    await countEntries(trx, dialect);
    for (const [name, column] of [
      ['connection', 'connection_id, timestamp'],
      ['surface', 'surface, timestamp'],
      ['duration', 'duration_ms'],
    ]) {
      await trx.raw(`CREATE INDEX audit_log_${name}_pages ON audit_log (org_id, ${column}, id, success)
        WHERE deleted_at IS NULL`);
    }
  });

/** Joins the sums of connections into one; those that a transaction holds are left for the next time. PostgreSQL only. */
export const JOIN_SUMS = `WITH joined AS (
    DELETE FROM ${COUNTS_TABLE} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${COUNTS_TABLE} WHERE shard <> 0 ORDER BY ${KEY} LIMIT 10000 FOR UPDATE SKIP LOCKED))
    RETURNING ${COLUMNS})
  INSERT INTO ${COUNTS_TABLE} AS counts (${COLUMNS})
    SELECT org_id, hour, success, connection_id, surface, 0, sum(total) FROM joined
      GROUP BY ${GROUPS} ORDER BY ${GROUPS}
    ON CONFLICT (${KEY}) DO UPDATE SET total = counts.total + excluded.total`;
