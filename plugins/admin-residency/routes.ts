/** Serves moves to another region to administrators of an organization, and of the platform. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { type Command, type Requests, shownMigration } from './requests.ts';
import {
  FailBody,
  MigrateBody,
  MigrationPage,
  MigrationParams,
  MigrationQuery,
  RegionMigration,
  Residency,
} from './schemas.ts';

const PATH = '/api/v1/admin/residency';

export interface ResidencyRoutesInit {
  readonly moves: Requests;
  /** Called once there may be a request to carry out. */
  pending(): void;
}

export function residencyRoutes({ moves, pending }: ResidencyRoutesInit): Route[] {
  const all = { tag: 'Residency', right: 'admin:settings', organizationData: "The server's own region" } as const;
  const one = { ...all, params: MigrationParams, responses: { 200: RegionMigration } };
  const operator = (name: Command, summary: string): Route =>
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/migrations/:id/${name}`,
      operationId: `${name}RegionMigration`,
      summary: `${summary} For administrators of the platform.`,
      errors: ['forbidden', 'not_found', 'conflict'],
      async handle({ params }, scope) {
        const moved = await moves.operate(name, params.id, scope);
        if (name === 'retry') pending();
        return { body: shownMigration(moved) };
      },
    });
  return [
    {
      ...all,
      method: 'GET',
      path: PATH,
      operationId: 'getResidency',
      summary: "Region of the organization's data, and the regions that there are.",
      errors: ['forbidden'],
      responses: { 200: Residency },
      async handle(_request, scope) {
        return { body: await moves.status(scope) };
      },
    },
    defineRoute({
      ...all,
      method: 'POST',
      path: `${PATH}/migrate`,
      operationId: 'requestRegionMigration',
      summary: "Asks for the organization's data to be moved to another region, once in 30 days.",
      errors: ['forbidden', 'conflict', 'rate_limited'],
      body: MigrateBody,
      responses: { 201: RegionMigration },
      async handle({ body }, scope) {
        const requested = await moves.request(body.targetRegion, scope);
        pending();
        return { status: 201, body: shownMigration(requested) };
      },
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: `${PATH}/migrations`,
      operationId: 'listRegionMigrations',
      summary: 'Requests to move to another region, by default the newest first.',
      errors: ['forbidden'],
      query: MigrationQuery,
      responses: { 200: MigrationPage },
      async handle({ query }, scope) {
        return { body: await moves.list(query, scope) };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/migrations/:id`,
      operationId: 'getRegionMigration',
      summary: 'One request to move to another region.',
      errors: ['forbidden', 'not_found'],
      async handle({ params }, scope) {
        return { body: shownMigration(await moves.own(params.id, scope)) };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/migrations/:id/cancel`,
      operationId: 'cancelRegionMigration',
      summary: 'Cancels a request that is pending.',
      errors: ['forbidden', 'not_found', 'conflict'],
      async handle({ params }, scope) {
        return { body: shownMigration(await moves.cancel(params.id, scope)) };
      },
    }),
    operator('start', 'Says that the data are being moved.'),
    operator('complete', 'Says that the data are moved: the target is the region of the organization from now on.'),
    operator('retry', 'Makes a request that failed pending again.'),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/migrations/:id/fail`,
      operationId: 'failRegionMigration',
      summary: 'Says why the data could not be moved. For administrators of the platform.',
      errors: ['forbidden', 'not_found', 'conflict'],
      body: FailBody,
      async handle({ params, body }, scope) {
        return { body: shownMigration(await moves.operate('fail', params.id, scope, body.errorMessage)) };
      },
    }),
  ];
}
