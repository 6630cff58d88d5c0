import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const MysqlConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({ minLength: 1, description: '"mysql://user:password@host:3306/database", or "mariadb://…"' }),
  },
  closed,
);
export type MysqlConnectionOptions = Static<typeof MysqlConnectionOptions>;

export const DatasourceMysqlOptions = Type.Object({ connections: Type.Array(MysqlConnectionOptions) }, closed);
