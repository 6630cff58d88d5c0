/** Describes parameters and answers of the backup endpoints. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf, orNull, page, pageQuery, sortable } from '../admin-kit/index.ts';

const time = Type.String({ format: 'date-time' });
export const Backup = Type.Object(
  {
    id: Type.String(),
    createdAt: time,
    sizeBytes: Type.Integer(),
    status: oneOf(['in_progress', 'completed', 'failed', 'verified']),
    storagePath: Type.String(),
    retentionExpiresAt: time,
    errorMessage: orNull(Type.String()),
    checksum: orNull(Type.String({ description: 'SHA-256 of the file, in hexadecimal digits.' })),
    verifiedAt: orNull(time),
    installation: orNull(
      Type.String({ description: 'The one that made it; null: a version made it that did not record that.' }),
    ),
    operation: Type.Union([Type.Literal('create'), Type.Literal('verify'), Type.Literal('restore'), Type.Null()], {
      description: 'What is being done with it.',
    }),
  },
  { title: 'Backup' },
);
export type Backup = Static<typeof Backup>;

export const BACKUP_ORDERS = sortable(
  {
    createdAt: [{ column: 'created_at' }, { column: 'id' }],
    sizeBytes: [{ column: 'size_bytes' }, { column: 'id' }],
  },
  '-createdAt',
);

const OfInstallation = {
  installation: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The installation that made it: an id, or `any`; by default this one.',
    }),
  ),
};
export const InstallationQuery = Type.Object(OfInstallation);
export const ListQuery = Type.Object({
  ...pageQuery({ limit: 50, max: 200 }),
  ...BACKUP_ORDERS.query,
  ...OfInstallation,
});
export const BackupPage = page('backups', Backup);

export const BackupParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const RestoreBody = Type.Object(
  { confirm: Type.String({ description: 'The id of the backup again: all present data are replaced.' }) },
  { additionalProperties: false },
);
