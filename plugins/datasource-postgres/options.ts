import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';
import { FLAVORS } from './flavors/flavors.ts';

const closed = { additionalProperties: false };

export const PostgresConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({ minLength: 1, description: '"postgres://user:password@host:5432/database"' }),
    flavor: Type.Optional(
      Type.Union(
        FLAVORS.map(({ name }) => Type.Literal(name)),
        { description: 'Which engine speaks the protocol; goes before what the URL says; default "postgresql"' },
      ),
    ),
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
