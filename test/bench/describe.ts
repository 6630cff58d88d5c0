/** What describing a database of 2,000 tables takes, beside one plain query of the standard's own catalogue. */
import pg from 'pg';
import { PostgresDriver } from '../../plugins/datasource-postgres/index.ts';
import { Ask } from '../harness/ask.ts';
import { startPostgres } from '../harness/postgres.ts';
import { type Bench, median } from './measure.ts';

const TABLES = 2_000;
const COLUMNS = 20;
const ROUNDS = 7;

/** Each table with a key, and a foreign key to the one before. */
async function createTables(admin: pg.Client): Promise<void> {
  const more = Array.from({ length: COLUMNS - 2 }, (_, n) => `c${n} text`).join(', ');
  await admin.query(`DO $$ BEGIN FOR n IN 1..${TABLES} LOOP
    EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, parent int %s, ${more})', n,
      CASE WHEN n > 1 THEN format('REFERENCES t%s', n - 1) ELSE '' END);
    IF n % 100 = 0 THEN COMMIT; END IF; END LOOP; END $$`);
  await admin.query('ANALYZE pg_class, pg_attribute, pg_constraint, pg_description');
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export const describe: Bench = async () => {
  await using server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await createTables(admin);
  await using shop = new Ask(
    new PostgresDriver({ id: 'shop', url: server.url, connectTimeoutMs: 5_000 } as ConstructorParameters<
      typeof PostgresDriver
    >[0]),
  );
  const described = async () => {
    const tables = await shop.database.describe();
    if (tables.length !== TABLES) throw new Error(`${tables.length} of ${TABLES} tables are described.`);
  };
  const plain = () =>
    admin.query({
      text: `SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns
        WHERE table_schema = 'public' ORDER BY table_schema, table_name, ordinal_position`,
      rowMode: 'array',
    });
  const first = await msOf(described);
  await plain();
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(await msOf(described));
    floors.push(await msOf(plain));
  }
  await admin.end();
  return [
    { what: `describing ${TABLES} tables on PostgreSQL, the first time`, value: first, unit: 'ms', target: 2_000 },
    { what: `describing ${TABLES} tables on PostgreSQL, median`, value: median(times), unit: 'ms', target: 2_000 },
    {
      what: 'against the columns alone of information_schema',
      value: median(times),
      unit: 'ms',
      floor: median(floors),
      target: 2,
    },
  ];
};
