import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const BigqueryConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({
      minLength: 1,
      description: '"bigquery://project/dataset?key_file=/path/key.json", without a key the credentials of the place',
    }),
    timeZone: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
        description: 'Time zone of statements, such as "Europe/Vienna"; without it, that of BigQuery, UTC',
      }),
    ),
  },
  closed,
);
export type BigqueryConnectionOptions = Static<typeof BigqueryConnectionOptions>;

export const DatasourceBigqueryOptions = Type.Object({ connections: Type.Array(BigqueryConnectionOptions) }, closed);
