import { type Static, Type } from '../../kernel/index.ts';

export const BackupsOptions = Type.Object(
  {
    dir: Type.String({
      default: '.atlas/backups',
      minLength: 1,
      description: 'folder for backups of the internal database; every server that makes or restores them must see it',
    }),
    retentionDays: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 3_650,
      description: 'days after which a backup is deleted; the newest good one stays',
    }),
    schedule: Type.String({
      default: '43 2 * * *',
      minLength: 9,
      maxLength: 100,
      description: 'when a backup is made by itself: a cron expression of five fields, in UTC',
    }),
    maxBackups: Type.Integer({
      default: 200,
      minimum: 1,
      maximum: 10_000,
      description: 'backups that may exist; no further one is made',
    }),
    toolsDir: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'PostgreSQL: folder with `pg_dump`, `pg_restore` and `psql`; without it those on PATH',
      }),
    ),
    scratchUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'PostgreSQL: server on which verification may create a database, as a URL; without it that of the internal database',
      }),
    ),
    waitMs: Type.Integer({
      default: 20_000,
      minimum: 0,
      maximum: 600_000,
      description:
        'longest time a request waits for the end of its work; after that it answers 202 and the work goes on',
    }),
  },
  { additionalProperties: false },
);
export type BackupsOptions = Static<typeof BackupsOptions>;
