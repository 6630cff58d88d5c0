/** Opens a database over a server, asks it statements, and closes it. */
import { AtlasError, type SqlStatement } from '../../kernel/index.ts';
import { type Driver, ServerDatabase } from '../../plugins/datasource-kit/index.ts';

export interface AskedDatabase {
  readonly database: ServerDatabase;
  statement(more?: Partial<SqlStatement>): SqlStatement;
  /** The rows, or code and message of an error. */
  run(more?: Partial<SqlStatement>, signal?: AbortSignal, user?: string): Promise<unknown>;
}

/** `own`: what a statement is where the test does not say. */
export async function withDatabase<T>(
  driver: Driver,
  options: ConstructorParameters<typeof ServerDatabase>[1],
  own: Pick<SqlStatement, 'sql' | 'tables'> & Partial<SqlStatement>,
  work: (asked: AskedDatabase) => Promise<T>,
): Promise<T> {
  const database = new ServerDatabase(driver, options);
  const statement: AskedDatabase['statement'] = (more = {}) => ({
    ...{ connection: database.info, requested: own.sql, params: [], surface: 'test', id: 'entry-1' },
    ...own,
    ...more,
  });
  const run: AskedDatabase['run'] = (more, signal, user) =>
    database.execute(statement(more), signal, undefined, user).then(
      ({ rows }) => rows,
      (error: unknown) => (error instanceof AtlasError ? { code: error.code, message: error.message } : error),
    );
  try {
    return await work({ database, statement, run });
  } finally {
    await database.close();
  }
}
