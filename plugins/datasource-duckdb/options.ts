import { type Static, Type } from '../../kernel/index.ts';
import { fileConnectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const DuckdbConnectionOptions = Type.Object(
  {
    ...fileConnectionOptions({ maximum: 16, default: 2 }),
    url: Type.String({ minLength: 1, description: '"duckdb:PATH", relative to the working directory' }),
    threads: Type.Integer({ minimum: 1, maximum: 64, default: 2, description: 'Threads that one statement may use' }),
    memoryLimitMb: Type.Integer({
      minimum: 64,
      default: 512,
      description: 'Memory for the data of one statement, in MiB; larger sorts and joins go to temporary files',
    }),
    tempLimitMb: Type.Integer({
      minimum: 0,
      default: 2048,
      description: 'Temporary files of one statement, in MiB',
    }),
  },
  closed,
);
export type DuckdbConnectionOptions = Static<typeof DuckdbConnectionOptions>;

export const DatasourceDuckdbOptions = Type.Object({ connections: Type.Array(DuckdbConnectionOptions) }, closed);
