/** Words the errors of stored connections. */
import { AtlasError } from '../../kernel/index.ts';

export const notFound = (id: string) =>
  new AtlasError(`There is no connection "${id}".`, {
    code: 'not_found',
    hint: 'GET /api/v1/admin/connections lists them.',
  });

export const configured = (id: string) =>
  new AtlasError(`The connection "${id}" is part of the server's configuration and cannot be changed here.`, {
    code: 'conflict',
    hint: 'Change the configuration, such as SVC_DATASOURCE_URL, and restart.',
  });

export const taken = (id: string) =>
  new AtlasError(`There already is a connection "${id}".`, {
    code: 'conflict',
    hint: 'Choose another id, or change that connection.',
  });

export const changedMeanwhile = (id: string) =>
  new AtlasError(`The connection "${id}" was changed in the meantime.`, {
    code: 'conflict',
    hint: 'Read it again, then repeat the change.',
  });

export const tooMany = (limit: number, whose: string) =>
  new AtlasError(`There are ${limit} stored connections ${whose}, which is the most there can be.`, {
    code: 'conflict',
    hint: 'Delete one that is no longer used.',
  });

/** A field of the body that cannot be used. */
export const invalidField = (path: string, message: string) =>
  new AtlasError(`The field "${path}" cannot be used: ${message}`, {
    code: 'validation_error',
    details: [{ path, message }],
  });

export const hostRefused = () =>
  new AtlasError('The host leads to an address that connections must not use.', {
    code: 'invalid_request',
    reason: 'E_CONNECTION_HOST',
    hint: 'Use the address of a database server; link-local, metadata and reserved addresses are refused.',
  });

/** Between the list in which a statement found its connection and its start, the connection was changed or deleted. */
export const gone = (id: string) =>
  new AtlasError(`The connection "${id}" has just been changed or deleted.`, {
    code: 'unavailable',
    reason: 'E_CONNECTION_CHANGED',
    hint: 'Ask again.',
    retryAfterSeconds: 1,
  });

export const tooManyOpen = () =>
  new AtlasError('Too many stored connections are in use.', {
    code: 'overloaded',
    reason: 'E_CONNECTIONS_OPEN',
    hint: 'Ask again in a moment.',
    retryAfterSeconds: 5,
  });

export const tooManyTests = () =>
  new AtlasError('Too many connections are being tested.', {
    code: 'overloaded',
    reason: 'E_CONNECTION_TESTS',
    hint: 'Try again in a moment.',
    retryAfterSeconds: 5,
  });
