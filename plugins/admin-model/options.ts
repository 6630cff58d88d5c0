/** Declares the options of chosen models. */
import { type Static, Type } from '../../kernel/index.ts';

export const AdminModelOptions = Type.Object(
  {
    checkIntervalMs: Type.Integer({
      default: 2_000,
      minimum: 0,
      maximum: 60_000,
      description: 'time after which a server looks again for what was chosen on another one',
    }),
    testTimeoutMs: Type.Integer({
      default: 30_000,
      minimum: 100,
      maximum: 300_000,
      description: 'longest time of a test call',
    }),
    maxModels: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 100_000,
      description: 'organizations whose choice is kept in memory; the least recently asked is read again',
    }),
  },
  { additionalProperties: false },
);
export type AdminModelOptions = Static<typeof AdminModelOptions>;
