/** What can go wrong, in words for the person who asked. File names appear without their folder. */
import { AtlasError } from '../../kernel/index.ts';
import { datasourceUnavailable, sentence, withoutValues } from '../datasource/errors.ts';
import type { Failure } from '../datasource/process-protocol.ts';

function connectionFailed(message: string, hint: string): AtlasError {
  return datasourceUnavailable(message, { reason: 'E_SQLITE_OPEN', hint });
}

export function missingFile(file: string): AtlasError {
  return connectionFailed(
    `Connection failed: the database file "${file}" does not exist.`,
    'Create the file or correct the URL; no restart is needed once the file is there.',
  );
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

/** The error of a request that the database process answered with a failure. */
export function fromFailure(failure: Failure, file: string): AtlasError {
  if (failure.kind === 'refused') {
    return new AtlasError(failure.message, {
      code: 'sql_refused',
      reason: 'E_SQLITE_REFUSED',
      hint: 'Read only tables of the semantic layer, with the functions that are allowed.',
    });
  }
  // Extended codes such as SQLITE_IOERR_READ begin with the primary one.
  const primary = failure.code.split('_').slice(0, 2).join('_');
  const fault = FILE_FAULTS[primary];
  if (fault !== undefined) return connectionFailed(`Connection failed: the file "${file}" ${fault[0]}.`, fault[1]);
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

export function outOfMemory(cause?: unknown): AtlasError {
  return new AtlasError('The statement needed more memory than one statement may use.', {
    code: 'sql_failed',
    reason: 'E_SQLITE_MEMORY',
    hint: 'Select fewer or shorter values, or aggregate in smaller steps.',
    cause,
  });
}

export function crashed(cause: unknown): AtlasError {
  return new AtlasError('The database process ended while it ran the statement.', {
    code: 'sql_failed',
    reason: 'E_SQLITE_PROCESS',
    hint: 'Ask again; if it ends again, select fewer or shorter values.',
    cause,
  });
}

export function notStarted(cause: unknown): AtlasError {
  return datasourceUnavailable('Connection failed: the process that reads SQLite files could not be started.', {
    reason: 'E_SQLITE_PROCESS',
    hint: 'Check that the package "better-sqlite3" is installed for this platform and that memory is free.',
    cause,
  });
}
