/** Finds the dialects of engines, each once. */
import type { App, Scope } from '../../kernel/index.ts';
import { findDialect, type SqlDialect } from '../sql-kit/index.ts';

export function dialectsOf(app: Pick<App, 'call'>, scope: Scope): (dbType: string) => Promise<SqlDialect | undefined> {
  const found = new Map<string, Promise<SqlDialect | undefined>>();
  const find = async (dbType: string) => {
    const dialect = await findDialect(app, dbType, scope);
    await dialect?.load?.();
    return dialect;
  };
  return (dbType) => {
    const known = found.get(dbType) ?? find(dbType);
    found.set(dbType, known);
    return known;
  };
}
