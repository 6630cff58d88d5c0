/** Declares how much the plugin may ask of databases. */
import { type Static, Type } from '../../kernel/index.ts';

/** What statements come from, for limits and the audit log. */
export const SURFACE = 'profile';

const ms = (description: string, init: { readonly default: number; readonly minimum: number }) =>
  Type.Integer({ ...init, maximum: 86_400_000, description: `${description}, in milliseconds` });

export const ProfileOptions = Type.Object(
  {
    maxStatements: Type.Integer({
      minimum: 50,
      maximum: 100_000,
      default: 500,
      description: 'most statements of one day, for all connections of all organizations together',
    }),
    maxMs: ms('longest time of one day', { minimum: 1_000, default: 600_000 }),
    statementTimeoutMs: ms('longest time of one statement', { minimum: 1, default: 1_000 }),
    firstAfterMs: ms('time after the start at which is first looked whether the day is due', {
      minimum: 0,
      default: 300_000,
    }),
    everyMs: ms('how often is looked whether the day is due, and whether another server has measured', {
      minimum: 100,
      default: 600_000,
    }),
  },
  { additionalProperties: false },
);
export type ProfileOptions = Static<typeof ProfileOptions>;
