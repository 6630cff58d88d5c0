import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

const SettingValue = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()]);

export const ClickhouseConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({
      minLength: 1,
      description:
        '"clickhouse://user:password@host:8123/database", several replicas as "host1:8123,host2:8123", with TLS "clickhouses://…"',
    }),
    maxMemoryMb: Type.Integer({
      minimum: 16,
      maximum: 1_048_576,
      default: 4_096,
      description: 'Memory that one statement may use on the server, in MiB',
    }),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Time zone of columns that name none, such as "Europe/Vienna"; without it, that of the server',
      }),
    ),
    settings: Type.Optional(
      Type.Record(Type.String(), SettingValue, {
        description: 'Settings of ClickHouse for every statement, of those that widen no access; the README lists them',
      }),
    ),
  },
  closed,
);
export type ClickhouseConnectionOptions = Static<typeof ClickhouseConnectionOptions>;

export const DatasourceClickhouseOptions = Type.Object(
  { connections: Type.Array(ClickhouseConnectionOptions) },
  closed,
);
