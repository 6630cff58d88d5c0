/** What can go wrong, in words for the person who asked. File names appear without their folder. */
import { AtlasError } from '../../kernel/index.ts';
import { datasourceUnavailable, sentence, withoutValues } from '../datasource/errors.ts';
import type { Failure } from '../datasource/process-protocol.ts';

function connectionFailed(message: string, hint: string): AtlasError {
  return datasourceUnavailable(message, { reason: 'E_DUCKDB_OPEN', hint });
}

export function missingFile(file: string): AtlasError {
  return connectionFailed(
    `Connection failed: the database file "${file}" does not exist.`,
    'Create the file or correct the URL; no restart is needed once the file is there.',
  );
}

export function foreignFile(file: string): AtlasError {
  return connectionFailed(
    `Connection failed: the file "${file}" is not a DuckDB database.`,
    'Point the URL at a DuckDB database file.',
  );
}

export function unreadableFile(file: string, mayNotBeRead: boolean): AtlasError {
  if (!mayNotBeRead) {
    const message = `Connection failed: the file "${file}" cannot be read.`;
    return connectionFailed(message, 'Check the disk, and that the file is whole.');
  }
  const message = `Connection failed: the file "${file}" may not be read.`;
  return connectionFailed(message, 'Give the server the right to read the file and its folder.');
}

function lockedFile(file: string): AtlasError {
  return new AtlasError(`The database "${file}" is locked by a program that writes to it.`, {
    code: 'overloaded',
    reason: 'E_DUCKDB_LOCKED',
    hint: 'Ask again when that program has closed the database.',
    retryAfterSeconds: 5,
  });
}

/** What opening a file can end with, by the engine's own words. */
const FILE_FAULTS: readonly (readonly [words: RegExp, error: (file: string) => AtlasError])[] = [
  [/could not set lock|conflicting lock|lock on file/i, lockedFile],
  [/not a valid DuckDB database|magic bytes/i, foreignFile],
  [
    /version number|storage version|newer version of DuckDB/i,
    (file) =>
      connectionFailed(
        `Connection failed: the database "${file}" was written by a version of DuckDB that cannot be read here.`,
        'Write it with a storage version that this version of DuckDB can read.',
      ),
  ],
  [/permission denied/i, (file) => unreadableFile(file, true)],
  [
    /encrypt|cipher/i,
    (file) =>
      connectionFailed(
        `Connection failed: the database "${file}" is encrypted.`,
        'Point the URL at a database without encryption.',
      ),
  ],
];

/** The error of a request that the database process answered with a failure. */
export function fromFailure(failure: Failure, file: string): AtlasError {
  const { kind, code, message, metData } = failure;
  if (kind === 'refused') {
    return new AtlasError(message, {
      code: 'sql_refused',
      reason: 'E_DUCKDB_REFUSED',
      hint: 'Read only tables of the semantic layer, with the functions that are allowed.',
    });
  }
  if (code === 'Out of Memory') return outOfMemory();
  if (code === 'Fault') {
    return new AtlasError('DuckDB failed at this statement for reasons of its own.', {
      code: 'sql_failed',
      reason: 'E_DUCKDB_FAULT',
      hint: 'Write the statement in another way, for example with fewer joins and subqueries in one SELECT.',
    });
  }
  if (code === 'Open' || code === 'IO' || code === 'Serialization') {
    const fault = FILE_FAULTS.find(([words]) => words.test(message));
    return fault?.[1](file) ?? unreadableFile(file, false);
  }
  if (code === 'Permission') {
    return new AtlasError('The statement asks for something outside the database, which is not allowed.', {
      code: 'sql_refused',
      reason: 'E_DUCKDB_REFUSED',
      hint: 'Read only tables of the semantic layer.',
    });
  }
  return new AtlasError(sentence(`DuckDB: ${metData ? withoutValues(message) : message}`), {
    code: 'sql_failed',
    reason: 'E_DUCKDB_STATEMENT',
    hint: 'Correct the statement and run it again.',
  });
}

export function outOfMemory(cause?: unknown): AtlasError {
  return new AtlasError('The statement needed more memory than one statement may use.', {
    code: 'sql_failed',
    reason: 'E_DUCKDB_MEMORY',
    hint: 'Select fewer or shorter values, or aggregate in smaller steps.',
    cause,
  });
}

export function crashed(cause: unknown): AtlasError {
  return new AtlasError('The database process ended while it ran the statement.', {
    code: 'sql_failed',
    reason: 'E_DUCKDB_PROCESS',
    hint: 'Ask again; if it ends again, select fewer or shorter values.',
    cause,
  });
}

export function notStarted(cause: unknown): AtlasError {
  return datasourceUnavailable('Connection failed: the process that reads DuckDB files could not be started.', {
    reason: 'E_DUCKDB_PROCESS',
    hint: 'Check that the package "@duckdb/node-api" is installed for this platform and that memory is free.',
    cause,
  });
}
