/** Turns SQLite's result codes into errors for the person who asked. File names appear without their folder. */
import { AtlasError } from '../../kernel/index.ts';
import { type Failure, type FileErrors, fileErrors, sentence, withoutValues } from '../datasource-kit/index.ts';

/** The errors that every engine of files has, and SQLite's own words for a file that cannot be read. */
export function sqliteErrors(file: string): FileErrors {
  const fault = (code: string) => fromFailure({ kind: 'engine', code, message: '' }, file);
  return {
    ...fileErrors({ engine: 'SQLite', reason: 'E_SQLITE', file, driver: 'better-sqlite3' }),
    unreadableFile: (mayNotBeRead) => fault(mayNotBeRead ? 'SQLITE_PERM' : 'SQLITE_IOERR'),
    foreignFile: () => fault('SQLITE_NOTADB'),
  };
}

/** SQLite's primary result codes that are about the file rather than the statement. */
const FILE_FAULTS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  SQLITE_NOTADB: ['is not a SQLite database, or is encrypted', 'Point the URL at a SQLite database file.'],
  SQLITE_CORRUPT: ['is damaged', 'Restore it from a backup; "PRAGMA integrity_check" shows what is wrong.'],
  SQLITE_CANTOPEN: [
    'cannot be opened',
    'Check that the server may read the file and its folder; one in WAL mode needs a folder that may be written, or "PRAGMA journal_mode = DELETE" before it is put there.',
  ],
  SQLITE_READONLY: [
    'was left in the middle of a write',
    'Open it once with a program that may write, so that the write is finished or rolled back.',
  ],
  SQLITE_IOERR: ['cannot be read', 'Check the disk and the rights of the file.'],
  SQLITE_PERM: ['may not be read', 'Give the server the right to read the file.'],
  SQLITE_AUTH: ['may not be read', 'Give the server the right to read the file.'],
};

/** The error of a failure inside SQLite. */
export function fromFailure(failure: Failure, file: string): AtlasError {
  const { connectionFailed, outOfMemory } = fileErrors({ engine: 'SQLite', reason: 'E_SQLITE', file });
  // Extended codes such as SQLITE_IOERR_READ begin with the primary one.
  const primary = failure.code.split('_').slice(0, 2).join('_');
  const fault = FILE_FAULTS[primary];
  if (fault !== undefined) return connectionFailed(`the file "${file}" ${fault[0]}.`, fault[1]);
  if (primary === 'SQLITE_BUSY' || primary === 'SQLITE_LOCKED') {
    return new AtlasError(`The database "${file}" is locked by a program that writes to it.`, {
      code: 'overloaded',
      reason: 'E_SQLITE_LOCKED',
      hint: 'Ask again in a moment.',
      retryAfterSeconds: 2,
    });
  }
  if (primary === 'SQLITE_NOMEM' || primary === 'SQLITE_TOOBIG') return outOfMemory();
  const { message, metData } = failure;
  return new AtlasError(sentence(`SQLite: ${metData ? withoutValues(message) : message}`), {
    code: 'sql_failed',
    reason: 'E_SQLITE_STATEMENT',
    hint: columnHint(message) ?? 'Correct the statement and run it again.',
  });
}

/** For a name that is no column: in double quotes it may have been meant as a text. */
function columnHint(message: string): string | undefined {
  const [, name] = /^no such column: "?([^".]{1,100})"?(?: - .*)?$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const text = `'${name.replaceAll("'", "''")}'`;
  return `There is no column "${name}" here. Correct the name; if it is a text, write it in single quotes: ${text}.`;
}
