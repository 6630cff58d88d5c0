import { type Static, Type } from '../../kernel/index.ts';
import { fileConnectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const SqliteConnectionOptions = Type.Object(
  {
    ...fileConnectionOptions({ maximum: 32, default: 4 }),
    url: Type.String({ minLength: 1, description: '"sqlite:PATH", relative to the working directory' }),
    memoryLimitMb: Type.Integer({
      minimum: 64,
      default: 128,
      description:
        'Memory of all processes together, in MiB, on Linux; beyond it the statement that takes most of it fails',
    }),
  },
  closed,
);
export type SqliteConnectionOptions = Static<typeof SqliteConnectionOptions>;

export const DatasourceSqliteOptions = Type.Object({ connections: Type.Array(SqliteConnectionOptions) }, closed);
