/** Declares the options of the guard. */
import { type Static, Type } from '../../kernel/index.ts';

/** The defaults suit every engine; only `functions` depends on the database. */
export const SqlGuardOptions = Type.Object(
  {
    functions: Type.Array(Type.String({ pattern: '^([A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*$' }), {
      default: [],
      description: 'Functions that may be called besides the built-in list, such as those your database adds',
    }),
    organizations: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
        description:
          'Tables that each organization may read, `name` or `schema.name`; `*` is for those not listed, who otherwise read none. Without, all read all',
      }),
    ),
    maxTextLength: Type.Integer({ minimum: 100, default: 100_000, description: 'Longest statement, in characters' }),
    maxTokens: Type.Integer({ minimum: 100, default: 20_000, description: 'Most words and signs in a statement' }),
    cacheStatements: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 250,
      description: 'Checked statements kept for a repeat; 0 checks each time',
    }),
  },
  { additionalProperties: false },
);
export type SqlGuardOptions = Static<typeof SqlGuardOptions>;
