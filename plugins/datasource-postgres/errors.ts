/** PostgreSQL's errors by their SQLSTATE, as what the person who asked can do about them. */
import { AtlasError } from '../../kernel/index.ts';
import {
  connectionFailed,
  connectionLost,
  locked,
  loginFailed,
  networkFailure,
  notReading,
  serverFull,
  statementFailed,
  timedOut,
  withoutValues,
} from '../datasource-kit/index.ts';

interface ServerError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** It names a place in the statement. */
  readonly isPlaced: boolean;
}

function serverError(error: unknown): ServerError | undefined {
  const { code, message, severity, hint, position } = error as Record<string, unknown>;
  if (typeof code !== 'string' || typeof severity !== 'string') return undefined;
  const text = (part: unknown) => (typeof part === 'string' ? part : undefined);
  return { code, message: String(message), hint: text(hint), isPlaced: text(position) !== undefined };
}

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  const server = serverError(error);
  const message = error instanceof Error ? error.message : '';
  if (server?.code === '28P01' || /^SASL: /.test(message)) {
    return loginFailed('the server does not accept user and password', 'Correct them in the URL.', error);
  }
  if (server?.code.startsWith('28')) {
    return loginFailed(
      'the server does not let this user in from here',
      'Check "pg_hba.conf" on the server, and "sslmode" in the URL.',
      error,
    );
  }
  if (server?.code === '3D000') return loginFailed('there is no such database', 'Correct its name in the URL.');
  if (server?.code === '42501') {
    return loginFailed('the user may not connect to this database', 'GRANT CONNECT ON DATABASE to the user.');
  }
  if (server?.code === '53300') return serverFull(error);
  if (server?.code === '57P03') {
    return loginFailed('the server is starting or stopping', 'Ask again in a moment.', error);
  }
  if (/does not support SSL/.test(message)) {
    return loginFailed('the server offers no encryption', 'Set it up, or use "sslmode=disable" in the URL.', error);
  }
  if (/timeout expired/.test(message)) {
    return connectionFailed('the server does not answer', 'Check host, port and firewall.', error);
  }
  return (
    networkFailure(error) ??
    connectionFailed('the server does not answer as PostgreSQL does', 'Check host and port in the URL.', error)
  );
}

/** The server is another engine than the one whose rules hold; statements would be checked by the wrong ones. */
export const otherEngine = (server: string, expected: string, flavor: string): AtlasError =>
  loginFailed(
    `the server is ${server}, which is not read as ${expected}`,
    `Write "flavor=${flavor}" into the parameters of the URL, or set the option "flavor" of the connection.`,
  );

/** While a statement runs. `timeoutMs`: what it had; `engine`: who speaks. */
export function statementError(error: unknown, timeoutMs: number, engine = 'PostgreSQL'): AtlasError {
  if (error instanceof AtlasError) return error;
  const server = serverError(error);
  if (server === undefined) return networkFailure(error) ?? connectionLost(error);
  const { code, message, hint, isPlaced } = server;
  const kind = code.slice(0, 2);
  if (code === '57014') return timedOut(timeoutMs);
  if (code === '55P03') return locked(error);
  if (code === '25006') return notReading();
  if (code === '53300') return serverFull(error);
  // Values that were bound do not match the statement.
  if (code === '08P01') return statementFailed(`${engine}: ${message}`);
  if (kind === '08' || code.startsWith('57P')) return connectionLost(error);
  if (code === '42501') {
    return statementFailed(`${engine}: ${message}`, 'GRANT SELECT on it to the login of this connection.');
  }
  if (kind === '53' || kind === '54') {
    return statementFailed(
      `${engine}: ${withoutValues(message)}`,
      'Ask for fewer rows, a shorter period or a simpler grouping.',
    );
  }
  // What speaks of the statement's own words says where they are; everything else may quote data.
  if (kind === '42' && isPlaced) return statementFailed(`${engine}: ${message}`, hint);
  if (kind === 'P0') return statementFailed(`${engine}: a function of the database refused a value`);
  return statementFailed(`${engine}: ${withoutValues(message)}`);
}
