/** Parses `DATABASE_URL`. Errors never repeat it: it may hold a password. */
import { AtlasError } from '../../kernel/index.ts';
import { type PostgresTarget, parseFileUrl, parsePostgresUrl } from '../datasource-kit/index.ts';

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

function sqlitePath(url: string, cwd: string): string {
  if (/[?#]/.test(url)) throw invalid('it takes no parameters');
  return parseFileUrl(url, cwd, {
    schemes: ['sqlite'],
    ignoredQueries: [],
    memory: 'a database in memory would forget everything at the next start',
    invalid,
  });
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
  if (!/^sqlite:/i.test(url)) throw invalid('it begins with neither "postgres://" nor "sqlite:"');
  return { dialect: 'sqlite', path: sqlitePath(url, cwd) };
}
