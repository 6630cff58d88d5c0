/**
 * Runs the taps of one hook: in a plain loop as long as they answer at once; the first promise moves the rest to an
 * asynchronous loop under one deadline. Without taps nothing is done.
 */
import { AtlasError, messageOf } from '../errors.ts';
import type { Scope } from '../scope.ts';
import type { Deadlines, Wait } from './deadline.ts';
import type { AnyHook, Collected, TapFailure } from './kinds.ts';

export interface Tap {
  readonly plugin: string;
  // biome-ignore lint/suspicious/noExplicitAny: the registry's public signatures hold the types together
  readonly handler: (payload: any, scope: Scope) => unknown;
}

/** Throws or rejects with an `AtlasError` that names plugin and hook. */
export type Dispatch = (payload: unknown, scope: Scope, deadlineMs: number) => unknown;

/** What the answers of the taps so far come to. */
interface Tally {
  payload: unknown;
  result: unknown;
}

/** Takes one tap's answer; `true` ends the loop. */
type Take = (tally: Tally, answer: unknown, plugin: string) => boolean;

const TAKE: Record<'first' | 'waterfall' | 'series' | 'collect', Take> = {
  first: (tally, answer) => {
    if (answer === undefined) return false;
    tally.result = answer;
    return true;
  },
  waterfall: (tally, answer) => {
    if (answer !== undefined) tally.payload = tally.result = answer;
    return false;
  },
  series: () => false,
  collect: (tally, answer, plugin) => {
    for (const value of answer as readonly unknown[]) (tally.result as Collected<unknown>[]).push({ plugin, value });
    return false;
  },
};

/** What all dispatches of a hook share. */
interface Plan {
  readonly hook: string;
  readonly taps: readonly Tap[];
  readonly take: Take;
  readonly deadlines: Deadlines;
  /** A tap for itself, whose lateness must not end the request. */
  readonly alone: boolean;
}

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Runs the taps from `run.index` on, up to one that promises its answer. */
function advance(run: Tally & { index: number }, plan: Plan, scope: Scope): PromiseLike<unknown> | undefined {
  const { taps, take } = plan;
  for (; run.index < taps.length; run.index += 1) {
    const tap = taps[run.index] as Tap;
    try {
      const answer = tap.handler(run.payload, scope);
      if (isThenable(answer)) return answer;
      if (take(run, answer, tap.plugin)) return undefined;
    } catch (error) {
      throw blame(error, tap.plugin, plan.hook);
    }
  }
  return undefined;
}

function dispatch(plan: Plan, payload: unknown, result: unknown, scope: Scope, deadlineMs: number): unknown {
  const run = { payload, result, index: 0 };
  const pending = advance(run, plan, scope);
  if (pending === undefined) return run.result;
  // Callbacks instead of async functions: one promise less for each dispatch, as `bench -- hooks` shows.
  return new Promise((resolve, reject) => {
    const culprit = () => (plan.taps[run.index] as Tap).plugin;
    const fail = (error: unknown): void => {
      if (wait.settled) return;
      wait.settled = true;
      reject(blame(error, culprit(), plan.hook));
    };
    const next = (answer: unknown): void => {
      if (wait.settled) return;
      try {
        if (!plan.take(run, answer, culprit())) {
          run.index += 1;
          const following = advance(run, plan, scope);
          if (following !== undefined) {
            following.then(next, fail);
            return;
          }
        }
      } catch (error) {
        fail(error);
        return;
      }
      wait.settled = true;
      resolve(run.result);
    };
    const expire = (): void => {
      const message = `Plugin "${culprit()}" did not finish hook "${plan.hook}" within ${deadlineMs} ms.`;
      const error = new AtlasError(message, { reason: 'E_HOOK_TIMEOUT', hint: 'Look at what that plugin waits for.' });
      fail(error);
      if (!plan.alone) scope.abort(error);
    };
    const wait: Wait = { settled: false, expiresAtTick: 0, expire };
    plan.deadlines.add(wait, deadlineMs);
    pending.then(next, fail);
  });
}

/** The dispatcher of a hook over its taps in final order; of a `keyed` hook, over the tap of one key. */
export function compileDispatch(hook: AnyHook, taps: readonly Tap[], deadlines: Deadlines): Dispatch {
  const { id, kind, failedItem } = hook;
  if (taps.length === 0) {
    if (kind === 'keyed') throw new AtlasError(`Hook "${id}" is keyed: call it by key.`, { reason: 'E_HOOK_KIND' });
    if (kind === 'parallel' || kind === 'collect') return () => [];
    return kind === 'waterfall' ? (payload) => payload : () => undefined;
  }
  if (kind === 'parallel') return compileApart(id, taps, TAKE.series, deadlines, (failure) => failure);
  if (failedItem !== undefined) {
    const replace = ({ plugin, error }: TapFailure) => ({ plugin, value: failedItem(plugin, error) });
    return compileApart(id, taps, TAKE.collect, deadlines, replace);
  }
  const plan: Plan = { hook: id, taps, take: TAKE[kind === 'keyed' ? 'first' : kind], deadlines, alone: false };
  const initial = (payload: unknown) => (kind === 'waterfall' ? payload : kind === 'collect' ? [] : undefined);
  return (payload, scope, deadlineMs) => dispatch(plan, payload, initial(payload), scope, deadlineMs);
}

/** Runs every tap by itself, all at once; the list has, for a tap that failed, what `replace` makes of its failure. */
function compileApart(
  hook: string,
  taps: readonly Tap[],
  take: Take,
  deadlines: Deadlines,
  replace: (failure: TapFailure) => unknown,
): Dispatch {
  const plans = taps.map((tap): Plan => ({ hook, taps: [tap], take, deadlines, alone: true }));
  return async (payload, scope, deadlineMs) => {
    const run = async (plan: Plan, at: number) => {
      try {
        return await dispatch(plan, payload, [], scope, deadlineMs);
      } catch (error) {
        return replace({ plugin: taps[at]?.plugin ?? '', error: error as AtlasError });
      }
    };
    return (await Promise.all(plans.map(run))).flat();
  };
}

/** Names the culprit on an error out of a tap: kept as it is when it is ours, wrapped when it is not. */
export function blame(error: unknown, plugin: string, hook: string, where = `hook "${hook}"`): AtlasError {
  const message = `Plugin "${plugin}" failed in ${where}: ${messageOf(error)}`;
  const known = error instanceof AtlasError ? error : new AtlasError(message, { reason: 'E_TAP_FAILED', cause: error });
  known.plugin ??= plugin;
  known.hook ??= hook;
  return known;
}
