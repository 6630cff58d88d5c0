import { type Static, Type } from '../../kernel/index.ts';

export const SqlLimitsOptions = Type.Object(
  {
    maxRows: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1_000, description: 'most rows of one result' }),
    maxBytes: Type.Integer({
      minimum: 1_024,
      maximum: 1024 ** 3,
      default: 8 * 1024 * 1024,
      description: 'most bytes of one result',
    }),
    maxCellBytes: Type.Integer({
      minimum: 16,
      default: 64 * 1024,
      description: 'most bytes of one value; longer ones are cut and noted',
    }),
    timeoutMs: Type.Integer({
      minimum: 1,
      maximum: 3_600_000,
      default: 30_000,
      description: 'longest time one SQL statement may run, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type SqlLimitsOptions = Static<typeof SqlLimitsOptions>;
