/** Runs statements on a database directly, as the pipeline would. */
import type { SqlLimits, SqlResult, TableDescription } from '../../kernel/index.ts';
import { type Driver, ServerDatabase } from '../../plugins/datasource-kit/index.ts';

const POOL = { maxConnections: 4, queueLimit: 100, acquireTimeoutMs: 30_000, idleTimeoutMs: 60_000 };
const LIMITS: SqlLimits = { maxRows: 1_000, maxBytes: 8_388_608, maxCellBytes: 65_536, timeoutMs: 20_000 };

export interface Asking {
  readonly limits?: Partial<SqlLimits>;
  readonly signal?: AbortSignal;
}

export class Ask implements AsyncDisposable {
  readonly database: ServerDatabase;

  constructor(driver: Driver, pool: Partial<typeof POOL> = {}) {
    this.database = new ServerDatabase(driver, { ...POOL, ...pool });
  }

  run(sql: string, params: readonly unknown[] = [], { limits, signal }: Asking = {}): Promise<SqlResult> {
    const statement = { connection: this.database.info, requested: sql, sql, params, surface: 'test', tables: [] };
    return this.database.execute({ ...statement, limits: { ...LIMITS, ...limits } }, signal);
  }

  /** The one value of the one row. */
  async value(sql: string, params: readonly unknown[] = [], asking?: Asking): Promise<unknown> {
    const { rows, columns } = await this.run(sql, params, asking);
    return rows[0]?.[columns[0] ?? ''];
  }

  /** The error of a statement, which must fail. */
  async error(sql: string, params: readonly unknown[] = [], asking?: Asking) {
    const outcome = await this.run(sql, params, asking).catch((error: unknown) => error);
    if (outcome instanceof Error) return outcome as Error & { code: string; hint?: string; retryAfterSeconds?: number };
    throw new Error(`It did not fail: ${sql}`);
  }

  async table(name: string): Promise<TableDescription | undefined> {
    return (await this.database.describe()).find((table) => table.name === name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.database.close();
  }
}
