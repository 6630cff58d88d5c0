/** Describes requests to move to another region. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf, page, pageQuery, sortable } from '../admin-kit/index.ts';
import { Region } from './options.ts';

const Status = oneOf(['pending', 'in_progress', 'completed', 'failed', 'cancelled'], {
  title: 'RegionMigrationStatus',
});
export type MigrationStatus = Static<typeof Status>;

export const MigrateBody = Type.Object({ targetRegion: Region }, { additionalProperties: false });

export const MigrationParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

export const MIGRATION_ORDERS = sortable(
  { requestedAt: [{ column: 'requested_at' }, { column: 'id' }] },
  '-requestedAt',
);

export const MigrationQuery = Type.Object({
  ...pageQuery({ limit: 50, max: 200 }),
  ...MIGRATION_ORDERS.query,
  status: Type.Optional(Status),
});
export type MigrationQuery = Static<typeof MigrationQuery>;

export const FailBody = Type.Object(
  {
    errorMessage: Type.String({ minLength: 1, maxLength: 1_000, description: 'Why it failed, for the organization.' }),
  },
  { additionalProperties: false },
);

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const RegionMigration = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    workspaceId: Type.String({ description: 'The organization; `default` where there are none.' }),
    sourceRegion: Type.String(),
    targetRegion: Type.String(),
    status: Status,
    requestedBy: orNull('User id; `null`: anonymous.'),
    requestedAt: Type.String({ format: 'date-time' }),
    completedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it was completed, failed or cancelled.',
    }),
    errorMessage: orNull('Why it failed.'),
  },
  { title: 'RegionMigration' },
);
export type RegionMigration = Static<typeof RegionMigration>;

export const MigrationPage = page('migrations', RegionMigration);

export const Residency = Type.Object({
  workspaceId: Type.String(),
  region: Type.String({ description: 'Where the data are.' }),
  regions: Type.Array(Type.String(), { description: 'Where they may be moved; none: any region.' }),
});
