import { type Static, Type } from '../../kernel/index.ts';

export const SharedLimitsOptions = Type.Object(
  {
    redisUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Redis over which servers share the counts of limits: `redis://user:password@host:6379/0`, `rediss://…` over TLS; without it the internal database where it is PostgreSQL, else each server counts by itself',
      }),
    ),
    exchangeMs: Type.Integer({
      default: 500,
      minimum: 50,
      maximum: 5_000,
      description: 'time after which a server tells others of the requests that it has let pass, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type SharedLimitsOptions = Static<typeof SharedLimitsOptions>;
