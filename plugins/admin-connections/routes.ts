/** Serves connections to administrators. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import { Connection, ConnectionParams, Connections, CreateBody, TestResult, UpdateBody } from './schemas.ts';
import type { ConnectionService } from './service.ts';

const PATH = '/api/v1/admin/connections';
const ONE = `${PATH}/:id`;

export interface ConnectionRoutesInit {
  readonly service: ConnectionService;
  /** Makes routes answer `not_available` without an internal database. */
  stored(routes: readonly Route[]): Route[];
}

export function connectionRoutes({ service, stored }: ConnectionRoutesInit): Route[] {
  const common = {
    tag: 'Connections',
    right: 'admin:connections',
    organizationData: 'The list of connections',
  } as const;
  const read = [
    defineRoute({
      ...common,
      errors: ['forbidden', 'unavailable'],
      method: 'GET',
      path: PATH,
      operationId: 'listConnections',
      area: 'connections',
      summary: 'Connections of the configuration and of the active organization, with their last known health.',
      responses: { 200: Connections },
      async handle(_request, scope) {
        return { body: { connections: await service.list(scope) } };
      },
    }),
    defineRoute({
      ...common,
      errors: ['forbidden', 'not_found', 'unavailable'],
      method: 'GET',
      path: ONE,
      operationId: 'getConnection',
      summary: 'One connection, without its password.',
      params: ConnectionParams,
      responses: { 200: Connection },
      async handle({ params }, scope) {
        return { body: await service.get(scope, params.id) };
      },
    }),
    defineRoute({
      ...common,
      errors: ['forbidden', 'not_found', 'unavailable'],
      method: 'POST',
      path: `${ONE}/test`,
      operationId: 'testConnection',
      summary: 'Asks the database of a connection now whether it answers.',
      params: ConnectionParams,
      responses: { 200: TestResult },
      async handle({ params }, scope) {
        return { body: await service.test(scope, params.id) };
      },
    }),
  ];
  const changing = [
    defineRoute({
      ...common,
      errors: ['forbidden', 'conflict', 'connection_failed', 'configuration_error', 'not_available', 'unavailable'],
      method: 'POST',
      path: PATH,
      operationId: 'createConnection',
      summary: 'Tests a connection and stores it, encrypted, for the active organization. It can be asked at once.',
      body: CreateBody,
      responses: { 201: Connection },
      async handle({ body }, scope) {
        return { status: 201, body: await service.create(scope, body) };
      },
    }),
    defineRoute({
      ...common,
      errors: [
        'forbidden',
        'not_found',
        'conflict',
        'connection_failed',
        'configuration_error',
        'not_available',
        'unavailable',
      ],
      method: 'PUT',
      path: ONE,
      operationId: 'updateConnection',
      summary: 'Changes a stored connection, tested first when it leads elsewhere. Fields left out stay as they are.',
      params: ConnectionParams,
      body: UpdateBody,
      responses: { 200: Connection },
      async handle({ params, body }, scope) {
        return { body: await service.update(scope, params.id, body) };
      },
    }),
    defineRoute({
      ...common,
      errors: ['forbidden', 'not_found', 'conflict', 'not_available', 'unavailable'],
      method: 'DELETE',
      path: ONE,
      operationId: 'deleteConnection',
      summary: 'Deletes a stored connection; statements that run come to their end.',
      params: ConnectionParams,
      responses: { 200: Success },
      async handle({ params }, scope) {
        await service.remove(scope, params.id);
        return SUCCEEDED;
      },
    }),
  ];
  return [...read, ...stored(changing)];
}
