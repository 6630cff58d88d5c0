/** Builds the errors of databases in files, in words for the person who asked. File names appear without their folder. */
import { AtlasError } from '../../../kernel/index.ts';
import { datasourceUnavailable } from '../errors.ts';
import type { Failure } from './protocol.ts';

/** How a process can fail, whatever it was asked. */
export interface ProcessErrors {
  crashed(cause: unknown): AtlasError;
  outOfMemory(cause?: unknown): AtlasError;
  notStarted(cause: unknown): AtlasError;
}

export interface FileErrors extends ProcessErrors {
  missingFile(): AtlasError;
  folderAsFile(): AtlasError;
  unreadableFile(mayNotBeRead: boolean): AtlasError;
  foreignFile(): AtlasError;
  /** The statement reads or calls more than it may. */
  refused(failure: Failure): AtlasError;
  /** Any other reason why the file cannot be read. */
  connectionFailed(message: string, hint: string): AtlasError;
}

export interface FileErrorNames {
  /** The engine as it is named in messages: "SQLite". */
  readonly engine: string;
  /** What the internal reasons begin with: "E_SQLITE". */
  readonly reason: string;
  /** The file, without its folder. */
  readonly file: string;
  /** The package that must be installed for the process to start; none: Node alone. */
  readonly driver?: string;
}

export function fileErrors({ engine, reason, file, driver }: FileErrorNames): FileErrors {
  const connectionFailed = (message: string, hint: string) =>
    datasourceUnavailable(`Connection failed: ${message}`, { reason: `${reason}_OPEN`, hint });
  const statementFailed = (message: string, kind: 'MEMORY' | 'PROCESS', hint: string, cause?: unknown) =>
    new AtlasError(message, { code: 'sql_failed', reason: `${reason}_${kind}`, hint, cause });
  return {
    connectionFailed,
    missingFile: () =>
      connectionFailed(
        `the database file "${file}" does not exist.`,
        'Correct the path in the URL, or put the database there; a running server needs no restart.',
      ),
    folderAsFile: () => connectionFailed(`"${file}" is a folder.`, `Point the URL at a ${engine} database file.`),
    unreadableFile: (mayNotBeRead) =>
      mayNotBeRead
        ? connectionFailed(
            `the file "${file}" may not be read.`,
            'Give the server the right to read the file and its folder.',
          )
        : connectionFailed(`the file "${file}" cannot be read.`, 'Check the disk, and that the file is whole.'),
    foreignFile: () =>
      connectionFailed(
        `the file "${file}" is not a ${engine} database.`,
        `Point the URL at a ${engine} database file.`,
      ),
    refused: ({ message }) =>
      new AtlasError(message, {
        code: 'sql_refused',
        reason: `${reason}_REFUSED`,
        hint: 'Read only tables of the semantic layer, with the functions that are allowed.',
      }),
    outOfMemory: (cause) =>
      statementFailed(
        'The statement needed more memory than one statement may use.',
        'MEMORY',
        'Select fewer or shorter values, or aggregate in smaller steps.',
        cause,
      ),
    crashed: (cause) =>
      statementFailed(
        'The database process ended while it ran the statement.',
        'PROCESS',
        'Ask again; if it ends again, select fewer or shorter values.',
        cause,
      ),
    notStarted: (cause) =>
      datasourceUnavailable(`Connection failed: the process that reads ${engine} files could not be started.`, {
        reason: `${reason}_PROCESS`,
        hint:
          driver === undefined
            ? 'Check that memory is free.'
            : `Check that the package "${driver}" is installed for this platform and that memory is free.`,
        cause,
      }),
  };
}
