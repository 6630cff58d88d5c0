import mysql from 'mysql2/promise';
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { datasourceMysql } from './index.ts';

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('MySQL', () => {
  let server: MariaDbServer;
  let admin: mysql.Connection;

  beforeAll(async () => {
    server = await startMariaDb({ options: ['max-allowed-packet=256M'] });
    admin = await mysql.createConnection(server.url);
    await admin.query('CREATE TABLE things (id int PRIMARY KEY AUTO_INCREMENT, name varchar(20) NOT NULL)');
    await admin.query(`INSERT INTO things (name) VALUES ('one'), ('two'), ('three')`);
    await admin.query('CREATE SEQUENCE counting');
    await admin.query(`CREATE PROCEDURE adding() INSERT INTO things (name) VALUES ('four')`);
    await admin.query(
      `CREATE FUNCTION writing() RETURNS int BEGIN INSERT INTO things (name) VALUES ('four'); RETURN 1; END`,
    );
  }, 120_000);
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  datasourceContract('mysql', () => ({
    handsRowsOn: true,
    connectionId: 'shop',
    dbType: 'mysql',
    plugin: ({ broken, maxConcurrent, queueLimit }) =>
      datasourceMysql({
        connections: [
          {
            id: 'shop',
            url: broken ? server.url.replace(/:\d+\/test$/, ':1/test') : server.url,
            maxConnections: maxConcurrent,
            queueLimit,
          },
        ],
      }),
    tables: ['things'],
    sql: {
      numbers: (count) =>
        `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count}) SELECT n FROM c WHERE n <= ${count} ORDER BY n`,
      values: `SELECT 42 AS \`integer\`, 9007199254740993 AS big, 1.5 AS \`real\`, 'grün' AS text, NULL AS nothing, x'61746c6173' AS \`binary\``,
      text: (bytes) => `SELECT repeat('x', ${bytes}) AS text`,
      integers:
        'SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most, 9007199254740992 AS above',
      columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
      many: 'SELECT seq AS n FROM seq_1_to_10000000',
      badValue: `SELECT extractvalue('<a/>', concat('~', name, 'hunter2')) FROM things`,
      sameNames: 'SELECT 1 AS a, 2 AS a',
      parameter: 'SELECT ? AS x',
      slow: 'SELECT count(*) FROM seq_1_to_10000000 AS atlas_slow, seq_1_to_10000000 AS b',
      invalid: 'SELECT nothing FROM things',
      writes: [
        `INSERT INTO things (name) VALUES ('four')`,
        `INSERT INTO things (name) VALUES ('four') RETURNING id`,
        `REPLACE INTO things (id, name) VALUES (1, 'four')`,
        'UPDATE things SET name = upper(name)',
        'DELETE FROM things',
        'DELETE FROM things RETURNING id',
        'TRUNCATE things',
        'DROP TABLE things',
        'CREATE TABLE other (id int)',
        'CREATE TEMPORARY TABLE other (id int)',
        'ALTER TABLE things ADD COLUMN other int',
        'OPTIMIZE TABLE things',
        'SELECT nextval(counting)',
        'SELECT writing()',
        'CALL adding()',
        'DO writing()',
        `SELECT * INTO OUTFILE '/tmp/atlas-things' FROM things`,
        `SELECT name INTO DUMPFILE '/tmp/atlas-thing' FROM things LIMIT 1`,
        'SELECT 1 INTO @stored',
        'SET @stored = 1',
        'SET SESSION TRANSACTION READ WRITE',
        'SET GLOBAL max_connections = 3',
        'COMMIT',
        'START TRANSACTION READ WRITE',
        'LOCK TABLES things WRITE',
        'FLUSH TABLES WITH READ LOCK',
        'HANDLER things OPEN',
        `LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE things`,
        `PREPARE x FROM 'SELECT 1'`,
        'BEGIN NOT ATOMIC SELECT 1; END',
        '/*! DELETE FROM things */',
        'USE mysql',
        'KILL 1',
        '',
      ],
      stacked: 'SELECT 1; DELETE FROM things',
      read: ({ name }) => `SELECT * FROM \`${name}\``,
      state: `SELECT count(*) AS n, group_concat(name ORDER BY id) AS names,
        (SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'things') AS next FROM things`,
    },
    described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
    isWorking: async () => {
      const [rows] = await admin.query<mysql.RowDataPacket[]>(
        `SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE '%atlas_slow%' AND ID <> CONNECTION_ID()`,
      );
      return rows.length > 0;
    },
    secrets: ['root', ':atlas', '127.0.0.1:1'],
  }));

  pluginContract('datasource-mysql', () => datasourceMysql({ connections: [{ id: 'shop', url: server.url }] }));
});
