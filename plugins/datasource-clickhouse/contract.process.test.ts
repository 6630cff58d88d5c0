import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type ClickhouseServer, findChdb, INSTALL_CHDB, startClickhouse } from '../../test/harness/clickhouse.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { datasourceClickhouse } from './index.ts';

suiteNeeding(
  'clickhouse',
  findChdb() !== undefined,
  INSTALL_CHDB,
)('ClickHouse', () => {
  let server: ClickhouseServer;

  beforeAll(async () => {
    server = await startClickhouse([
      'CREATE TABLE things (id Int32, name String) ENGINE = MergeTree ORDER BY id',
      `INSERT INTO things VALUES (1, 'one'), (2, 'two'), (3, 'three')`,
      'CREATE VIEW names AS SELECT upper(name) AS name FROM things',
      `CREATE TABLE things_of_all AS things ENGINE = Merge(currentDatabase(), '^things$')`,
      'CREATE TABLE lengths (name String, length UInt64) ENGINE = SummingMergeTree ORDER BY name',
      'CREATE MATERIALIZED VIEW lengths_of_things TO lengths AS SELECT name, length(name) AS length FROM things',
    ]);
  });
  afterAll(() => server?.stop());

  datasourceContract('clickhouse', () => ({
    handsRowsOn: true,
    connectionId: 'shop',
    dbType: 'clickhouse',
    plugin: ({ broken, maxConcurrent, queueLimit }) =>
      datasourceClickhouse({
        connections: [
          {
            id: 'shop',
            url: broken ? server.url.replace(/:\d+\/default$/, ':1/default') : server.url,
            settings: { max_threads: 1 },
            maxConnections: maxConcurrent,
            queueLimit,
          },
        ],
      }),
    tables: ['things'],
    sql: {
      numbers: (count) => `SELECT number + 1 AS n FROM numbers(${count})`,
      // The engine has no type for bytes: what is no text of UTF-8 is given as base64.
      values: `SELECT 42 AS integer, 9007199254740993 AS big, 1.5 AS real, 'grün' AS text, NULL AS nothing,
        base64Encode('atlas') AS binary`,
      integers:
        'SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most, 9007199254740992 AS above',
      text: (bytes) => `SELECT substring(repeat(repeat('x', 1000), ${Math.ceil(bytes / 1000)}), 1, ${bytes}) AS text`,
      many: 'SELECT number AS n FROM numbers(10000000)',
      columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
      badValue: `SELECT toInt32(concat(name, 'hunter2')) FROM things`,
      sameNames: 'SELECT x.a, y.a FROM (SELECT 1 AS a) AS x CROSS JOIN (SELECT 2 AS a) AS y',
      // The type of the place decides what the value becomes; the dialect writes String.
      parameter: 'SELECT {p1:Variant(Int32, String)} AS x',
      slow: 'SELECT sum(sipHash64(number)) AS atlas_slow FROM numbers(1000000000000)',
      invalid: 'SELECT nothing FROM things',
      writes: [
        `INSERT INTO things VALUES (4, 'four')`,
        `INSERT INTO things SELECT 4, 'four'`,
        `WITH 4 AS id INSERT INTO things SELECT id, 'four'`,
        `INSERT INTO FUNCTION file('/tmp/atlas-things.csv') SELECT * FROM things`,
        `ALTER TABLE things UPDATE name = upper(name) WHERE 1`,
        'ALTER TABLE things DELETE WHERE 1',
        'DELETE FROM things WHERE 1',
        'TRUNCATE TABLE things',
        'DROP TABLE things',
        'RENAME TABLE things TO other',
        'EXCHANGE TABLES things AND lengths',
        'CREATE TABLE other (id Int8) ENGINE = Memory',
        'CREATE TEMPORARY TABLE other (id Int8)',
        'CREATE TABLE other AS things',
        'CREATE FUNCTION twice AS (x) -> x * 2',
        'OPTIMIZE TABLE things FINAL',
        'SYSTEM FLUSH LOGS',
        'SYSTEM SHUTDOWN',
        'KILL QUERY WHERE 1',
        'SET readonly = 0',
        'SET max_threads = 2',
        'USE system',
        'ATTACH TABLE other',
        'DETACH TABLE things',
        `BACKUP TABLE things TO File('/tmp/atlas-things.zip')`,
        'GRANT ALL ON *.* TO default',
        `SELECT * FROM things INTO OUTFILE '/tmp/atlas-things.csv'`,
        'SELECT * FROM things SETTINGS readonly = 0',
        'SELECT * FROM things SETTINGS max_execution_time = 0',
        `SELECT * FROM file('/etc/passwd', 'LineAsString')`,
        `SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')`,
        `SELECT * FROM remote('127.0.0.1', system.one)`,
        'SELECT * FROM things FORMAT Null',
        'EXPLAIN SELECT 1',
        'SHOW TABLES',
        '',
      ],
      stacked: 'SELECT 1; DROP TABLE things',
      read: ({ name }) => `SELECT * FROM \`${name}\``,
      state: `SELECT count() AS n, arrayStringConcat(arraySort(groupArray(name)), ',') AS names FROM things`,
    },
    // The sorting key is none: several rows may have the same.
    described: { table: 'things', columns: ['id', 'name'], primaryKey: [] },
    isWorking: async () => (await server.running()).some((sql) => sql.includes('atlas_slow')),
    secrets: [server.password, ':hunter2', '127.0.0.1:1'],
  }));

  pluginContract('datasource-clickhouse', () =>
    datasourceClickhouse({ connections: [{ id: 'shop', url: server.url }] }),
  );
});
