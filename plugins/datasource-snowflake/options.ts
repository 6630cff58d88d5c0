import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const SnowflakeConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({
      minLength: 1,
      description:
        '"snowflake://user:token@account/database/schema?warehouse=NAME&role=NAME", with a key pair "&private_key_file=PATH"',
    }),
    timeZone: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
        description: 'Time zone of the session, such as "Europe/Vienna"; without it, that of the user',
      }),
    ),
  },
  closed,
);
export type SnowflakeConnectionOptions = Static<typeof SnowflakeConnectionOptions>;

export const DatasourceSnowflakeOptions = Type.Object({ connections: Type.Array(SnowflakeConnectionOptions) }, closed);
