import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const PostgresConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({ minLength: 1, description: '"postgres://user:password@host:5432/database"' }),
    schema: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Schema of tables that are named without one; default "public"',
      }),
    ),
  },
  closed,
);
export type PostgresConnectionOptions = Static<typeof PostgresConnectionOptions>;

export const DatasourcePostgresOptions = Type.Object({ connections: Type.Array(PostgresConnectionOptions) }, closed);
