/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

const DAY_MS = 86_400_000;

export const ExportsOptions = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      description:
        'where files of large results are stored: `file:PATH` for a folder that all servers see, or `s3://BUCKET/PREFIX` (`?endpoint=…&region=…`); without it there are no exports',
    }),
    workDir: Type.Optional(
      Type.String({ minLength: 1, description: 'folder in which files for `s3:` are written before they are sent' }),
    ),
    maxRows: Type.Integer({
      minimum: 1,
      maximum: 2_000_000_000,
      default: 100_000_000,
      description: 'most rows of one export',
    }),
    maxBytes: Type.Integer({
      minimum: 1_024,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 10 * 1024 ** 3,
      description: 'most bytes of the rows of one export, as they are read, and of its file',
    }),
    maxCellBytes: Type.Integer({
      minimum: 1_024,
      maximum: 8 * 1024 ** 2,
      default: 1024 ** 2,
      description: 'most bytes of one value; with a longer one the export fails, as nothing is cut',
    }),
    timeoutMs: Type.Integer({
      minimum: 1_000,
      maximum: DAY_MS,
      default: 3_600_000,
      description: 'longest time the statement of one export may run, in milliseconds',
    }),
    perUser: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 2,
      description: 'exports of one user that may wait or run',
    }),
    perOrganization: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 5,
      description: 'exports of one organization that may wait or run',
    }),
    concurrency: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 2,
      description: 'exports that one server runs at a time',
    }),
    minFreeBytes: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1024 ** 3,
      description: 'space that has to stay free on the disk where files are written',
    }),
    linkMs: Type.Integer({
      minimum: 1_000,
      maximum: 7 * DAY_MS,
      default: 3_600_000,
      description: 'time after which a link to a file is void, in milliseconds',
    }),
    retentionDays: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 7,
      description: 'days after which an export is deleted',
    }),
  },
  { additionalProperties: false },
);
export type ExportsOptions = Static<typeof ExportsOptions>;
