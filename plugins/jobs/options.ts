import { type Static, Type } from '../../kernel/index.ts';

export const JobsOptions = Type.Object(
  {
    leaseMs: Type.Integer({
      minimum: 10_000,
      maximum: 25_000,
      default: 15_000,
      description: 'silence of a server after which its jobs are run by another, in milliseconds',
    }),
    pollMs: Type.Integer({
      minimum: 100,
      maximum: 10_000,
      default: 1_000,
      description: 'how often a server looks for jobs that others have added or that have become due, in milliseconds',
    }),
    maxJobs: Type.Integer({
      minimum: 100,
      default: 100_000,
      description: 'jobs that may wait; further ones are refused with `unavailable`',
    }),
  },
  { additionalProperties: false },
);
export type JobsOptions = Static<typeof JobsOptions>;
