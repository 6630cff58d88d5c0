/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const SchedulerOptions = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'whether questions can be scheduled; false: the routes answer `not_available`',
    }),
    tickMs: Type.Integer({
      default: 2_000,
      minimum: 10,
      maximum: 60_000,
      description: 'how often due tasks are looked for, in milliseconds',
    }),
    concurrency: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 100,
      description: 'most scheduled questions that one server answers at a time',
    }),
    runTimeoutMs: Type.Integer({
      default: 300_000,
      minimum: 1_000,
      maximum: 3_600_000,
      description: 'time limit of one run, in milliseconds; a task may have a shorter one',
    }),
    deliveryBackoffMs: Type.Integer({
      default: 3_000,
      minimum: 1,
      maximum: 3_600_000,
      description: 'wait before the first repetition of a delivery that failed, in milliseconds; it doubles each time',
    }),
    lateAfterMs: Type.Integer({
      default: 30_000,
      minimum: 1_000,
      description: 'delay after which a run is marked late, in milliseconds',
    }),
    tasksPerOwner: Type.Integer({ default: 100, minimum: 1, description: 'most enabled tasks of one user' }),
    storedIdentityDays: Type.Integer({
      default: 7,
      minimum: 0,
      maximum: 365,
      description:
        'how long a task runs with the claims that its owner had when they last saved or ran it, where the authentication mode cannot look users up (byot); 0: such users cannot have tasks',
    }),
    retentionDays: Type.Integer({
      default: 90,
      minimum: 1,
      maximum: 36_500,
      description: 'how many days ended runs and disabled tasks are kept',
    }),
  },
  { additionalProperties: false },
);
export type SchedulerOptions = Static<typeof SchedulerOptions>;
