/** Turns DuckDB's errors into errors for the person who asked. File names appear without their folder. */
import { AtlasError } from '../../kernel/index.ts';
import { type Failure, type FileErrors, fileErrors, sentence, withoutValues } from '../datasource-kit/index.ts';

/** The errors that every engine of files has. */
export const duckdbErrors = (file: string): FileErrors =>
  fileErrors({ engine: 'DuckDB', reason: 'E_DUCKDB', file, driver: '@duckdb/node-api' });

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
  // A SQLite file makes it ask for the extension that reads those.
  [
    /not a valid DuckDB database|magic bytes|external extensions is disabled/i,
    (file) => duckdbErrors(file).foreignFile(),
  ],
  [
    /version number|storage version|newer version of DuckDB/i,
    (file) =>
      duckdbErrors(file).connectionFailed(
        `the database "${file}" was written by a version of DuckDB that cannot be read here.`,
        'Write it with a storage version that this version of DuckDB can read.',
      ),
  ],
  [/permission denied/i, (file) => duckdbErrors(file).unreadableFile(true)],
  [
    /encrypt|cipher/i,
    (file) =>
      duckdbErrors(file).connectionFailed(
        `the database "${file}" is encrypted.`,
        'Point the URL at a database without encryption.',
      ),
  ],
];

/** The error of a failure inside DuckDB. */
export function fromFailure({ code, message, metData }: Failure, file: string): AtlasError {
  const errors = duckdbErrors(file);
  if (code === 'Out of Memory') return errors.outOfMemory();
  if (code === 'Fault') {
    return new AtlasError('DuckDB failed with an internal error at this statement.', {
      code: 'sql_failed',
      reason: 'E_DUCKDB_FAULT',
      hint: 'Write the statement in another way, for example with fewer joins and subqueries in one SELECT.',
    });
  }
  if (code === 'Open' || code === 'IO' || code === 'Serialization') {
    const fault = FILE_FAULTS.find(([words]) => words.test(message));
    return fault?.[1](file) ?? errors.unreadableFile(false);
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
