import { type Static, Type } from '@sinclair/typebox';

export const HealthOptions = Type.Object(
  {
    freshMs: Type.Integer({
      default: 1_000,
      minimum: 0,
      description: 'how old a check may be before it is made again',
    }),
    patienceMs: Type.Integer({
      default: 25,
      minimum: 0,
      description: 'how long a request waits for a newer check before it gets the last one',
    }),
    firstPatienceMs: Type.Integer({
      default: 2_000,
      minimum: 0,
      description: 'how long a request waits when there is no check yet',
    }),
  },
  { additionalProperties: false },
);

export type HealthOptions = Static<typeof HealthOptions>;
