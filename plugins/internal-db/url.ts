/** `DATABASE_URL`: which engine, and where. Errors never repeat it: it may hold a password. */
import { resolve } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';
import { type PostgresTarget, parsePostgresUrl } from '../datasource-postgres/url.ts';

export type DatabaseTarget =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly server: PostgresTarget };

function invalid(why: string, hint?: string): AtlasError {
  return new AtlasError(`The URL of the internal database (DATABASE_URL) cannot be used: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_INTERNAL_DB_URL',
    hint: hint ?? 'Write "postgres://user:password@host:5432/database" or "sqlite:./folder/atlas.db".',
  });
}

/** In the forms with `//` the path is part of a URL, where `%20` is a blank. */
function sqlitePath(rest: string, cwd: string): string {
  if (/[?#]/.test(rest)) throw invalid('it takes no parameters');
  let path = rest;
  try {
    if (rest.startsWith('//')) path = decodeURIComponent(rest.slice(2));
  } catch {
    throw invalid('it holds a "%" that encodes nothing');
  }
  if (/^\/?:memory:$/.test(path)) throw invalid('a database in memory would forget everything at the next start');
  if (path === '' || path.endsWith('/')) throw invalid('it names no file');
  if (path.includes('\0')) throw invalid('it holds a null byte');
  return resolve(cwd, path);
}

function postgresServer(url: string): PostgresTarget {
  try {
    return parsePostgresUrl(url);
  } catch (error) {
    if (!(error instanceof AtlasError)) throw error;
    throw invalid(error.message.replace(/^.*?: (.*)\.$/, '$1'), error.hint);
  }
}

/** Reads `postgres://…`, `postgresql://…` or `sqlite:PATH`; throws `configuration_error` for anything else. */
export function parseDatabaseUrl(text: string, cwd: string): DatabaseTarget {
  const url = text.trim();
  if (/^postgres(ql)?:/i.test(url)) return { dialect: 'postgres', server: postgresServer(url) };
  const path = /^sqlite:(.*)$/is.exec(url)?.[1];
  if (path === undefined) throw invalid('it begins with neither "postgres://" nor "sqlite:"');
  return { dialect: 'sqlite', path: sqlitePath(path, cwd) };
}
