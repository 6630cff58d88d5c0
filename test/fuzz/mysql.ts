import library from 'mysql2';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { describeDatabases, settingsSql, typedParameters } from '../../plugins/datasource-mysql/index.ts';
import { type MariaDbServer, startMariaDb } from '../harness/mariadb.ts';
import type { FuzzDatabase, FuzzDialect, FuzzEngine, FuzzResult } from './engine.ts';

const typedParameter = typedParameters(library);
const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** Every database goes by this name in statements: a schema is a database here, and each has its own name. */
const DATABASE = 'fuzz_database';
const NAMED = new RegExp(`\\b${DATABASE}\\b`, 'g');

/** In which only the same text is equal, so that no order and no group is left to the server. */
const EXACT = 'utf8mb4_nopad_bin';
const TIMEOUT_MS = 20_000;

const PLAIN_PLANS = `SET optimizer_switch = 'derived_merge=off,semijoin=off,in_to_exists=off,subquery_cache=off'`;

const dialect: FuzzDialect = {
  dbType: 'mysql',
  schema: DATABASE,
  types: { int: 'int', real: 'double', text: `varchar(60) COLLATE ${EXACT}` },
  casts: { int: 'SIGNED', real: 'DOUBLE', text: 'CHAR' },
  tenantTypes: {
    // Not unsigned: a difference below zero fails there, in one plan and not in the other.
    int: ['bigint', 'smallint', 'decimal(10,0)', 'tinyint'],
    text: [
      'varchar(20) COLLATE utf8mb4_general_ci',
      'varchar(20) CHARACTER SET latin1',
      'text COLLATE utf8mb4_general_ci',
      'varbinary(20)',
    ],
  },
  tenants: ['acme ', 'acmé'],
  ignoresCase: false,
  // It has both, but never comes to an end with some of INTERSECT ALL.
  hasSetAll: false,
  hasLateral: false,
  hasInTable: false,
  // It has them, but answers `<> ANY` over columns from outside wrongly.
  hasQuantified: false,
  // MariaDB may leave out fewer rows than OFFSET says where it also drops duplicates.
  // The last two MariaDB has, and at times answers wrongly whatever the plan.
  lacks: new Set([
    'FILTER',
    'FULL JOIN',
    'NULLS LAST',
    'outer columns in FROM',
    'OFFSET of DISTINCT',
    'subquery IN subquery',
    'HAVING of one group',
  ]),
  // MariaDB now and then loses a name while it puts subqueries together, with one plan and not with the other.
  // Now and then it crashes, or chooses a plan that takes longer than the statement may.
  isOwnFault: (error) =>
    /^Unknown column|ECONNRESET|Connection lost|closed state|execution was interrupted/.test(error),
  quote,
  joined: (a, b) => `concat(${a}, ${b})`,
  distinct: (a, b) => `NOT ${a} <=> ${b}`,
  listedRows: (rows, columns) => `(WITH v (${columns.join(', ')}) AS (VALUES ${rows}) SELECT * FROM v)`,
  wholeRow: (_, columns) => [
    `json_object(${columns.map((column, index) => `'k${index}', ${column}`).join(', ')})`,
    `json_array(${columns.join(', ')})`,
    `concat_ws('|', ${columns.join(', ')})`,
  ],
  listed: (value, order) => `group_concat(${value} ORDER BY ${order} SEPARATOR ',')`,
};

/** A server that is started again when a statement ends it, which random ones now and then do. */
class Server {
  private readonly server: MariaDbServer;
  private admin: Connection;
  private restarting: Promise<void> | undefined;
  private names = 0;
  /** How often it was started. */
  starts = 1;
  readonly idle: string[] = [];

  private constructor(server: MariaDbServer, admin: Connection) {
    this.server = server;
    this.admin = admin;
  }

  static async start(): Promise<Server> {
    // What was written is still there after a crash, and plans stay the same.
    const server = await startMariaDb({
      inMemory: true,
      options: ['innodb-flush-log-at-trx-commit=2', 'innodb-stats-auto-recalc=0', 'sync-frm=0'],
    });
    return new Server(server, await connect(server.url, { multipleStatements: true }));
  }

  /** The name of a new database. */
  async create(script: string): Promise<string> {
    this.names += 1;
    const name = this.idle.pop() ?? `fuzz_${this.names}`;
    await this.admin.query(`SET NAMES utf8mb4; DROP DATABASE IF EXISTS ${name}; CREATE DATABASE ${name}; USE ${name}`);
    await this.admin.query(script);
    return name;
  }

  /** A session as the datasource has it. */
  async session(database: string): Promise<Connection> {
    const url = new URL(database, this.server.url).href;
    const connection = await connect(url, {});
    await connection.query(settingsSql(true, TIMEOUT_MS));
    await connection.query(`SET collation_connection = ${EXACT}`);
    return connection;
  }

  async restart(): Promise<void> {
    this.restarting ??= (async () => {
      await this.server.restart();
      this.admin = await connect(this.server.url, { multipleStatements: true });
      this.starts += 1;
      this.restarting = undefined;
    })();
    await this.restarting;
  }

  async stop(): Promise<void> {
    await this.admin.end();
    await this.server.stop();
  }
}

async function connect(uri: string, options: mysql.ConnectionOptions): Promise<Connection> {
  const connection = await mysql.createConnection({ uri, rowsAsArray: true, ...options });
  // The next caller is told.
  connection.on('error', () => {});
  return connection;
}

class MysqlDatabase implements FuzzDatabase {
  private readonly server: Server;
  private readonly name: string;
  private session: Promise<Connection> | undefined;
  private sessionOf = 0;

  constructor(server: Server, name: string) {
    this.server = server;
    this.name = name;
  }

  async describe() {
    const connection = await this.connection();
    const tables = await describeDatabases(async (sql, values = []) => {
      const [rows] = await connection.query<RowDataPacket[]>({
        sql,
        values: [...values],
        typeCast: (field) => field.string(),
      });
      return rows as unknown as (string | null)[][];
    }, this.name);
    return tables.map((table) => ({ ...table, schema: DATABASE }));
  }

  query(sql: string) {
    return this.ask(sql, []);
  }

  async plainly<T>(work: () => Promise<T>): Promise<T> {
    const connection = await this.connection();
    await connection.query(PLAIN_PLANS);
    return work().finally(() => connection.query('SET optimizer_switch = DEFAULT').catch(() => {}));
  }

  run({ sql }: Parameters<FuzzDatabase['run']>[0], params: readonly unknown[]) {
    return this.ask(
      sql,
      params.map((value) => typedParameter(value as string)),
    );
  }

  private connection(): Promise<Connection> {
    if (this.session === undefined || this.sessionOf !== this.server.starts) {
      this.sessionOf = this.server.starts;
      this.session = this.server.session(this.name);
    }
    return this.session;
  }

  private async ask(text: string, values: unknown[]): Promise<FuzzResult> {
    const sql = text.replace(NAMED, this.name);
    const connection = await this.connection();
    try {
      const [rows, fields] = await connection.execute<RowDataPacket[]>(sql, values as string[]);
      connection.unprepare(sql);
      return { columns: fields.map(({ name }) => name), rows: rows as unknown as unknown[][] };
    } catch (error) {
      connection.unprepare(sql);
      if ((error as { fatal?: boolean }).fatal === true) {
        this.session = undefined;
        await this.server.restart();
      }
      throw error;
    }
  }

  async close() {
    const session = await this.session?.catch(() => undefined);
    await session?.end().catch(() => {});
    this.server.idle.push(this.name);
  }
}

/** One server; names of databases are used again. */
export async function openMysql(): Promise<FuzzEngine> {
  const server = await Server.start();
  return {
    dialect,
    open: async (script) => new MysqlDatabase(server, await server.create(script)),
    close: () => server.stop(),
  };
}
