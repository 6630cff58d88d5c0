/**
 * Running the taps of one hook. Taps run in a plain loop as long as they answer at once; the first promise moves the
 * rest to an asynchronous loop under one deadline. Without taps nothing is done.
 */
import { AtlasError, blame } from '../errors.ts';
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

const TAKE: Record<'first' | 'waterfall' | 'series' | 'collect' | 'keyed', Take> = {
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
  keyed: (tally, answer) => {
    tally.result = answer;
    return true;
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

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

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
    new Pending(run, plan, scope, deadlineMs, resolve, reject).wait(pending);
  });
}

/** A dispatch that waits for a tap. It settles once, by its taps or by its deadline. */
class Pending implements Wait {
  settled = false;
  expiresAtTick = 0;
  private readonly run: Tally & { index: number };
  private readonly plan: Plan;
  private readonly scope: Scope;
  private readonly deadlineMs: number;
  private readonly resolve: (value: unknown) => void;
  private readonly reject: (error: unknown) => void;

  constructor(
    run: Tally & { index: number },
    plan: Plan,
    scope: Scope,
    deadlineMs: number,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.run = run;
    this.plan = plan;
    this.scope = scope;
    this.deadlineMs = deadlineMs;
    this.resolve = resolve;
    this.reject = reject;
    plan.deadlines.add(this, deadlineMs);
  }

  wait(pending: PromiseLike<unknown>): void {
    pending.then(
      (answer) => this.next(answer),
      (error) => this.fail(error),
    );
  }

  private next(answer: unknown): void {
    if (this.settled) return;
    const { run, plan } = this;
    try {
      if (!plan.take(run, answer, this.culprit)) {
        run.index += 1;
        const pending = advance(run, plan, this.scope);
        if (pending !== undefined) {
          this.wait(pending);
          return;
        }
      }
    } catch (error) {
      this.fail(error);
      return;
    }
    this.settled = true;
    this.resolve(run.result);
  }

  private fail(error: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(blame(error, this.culprit, this.plan.hook));
  }

  private get culprit(): string {
    return (this.plan.taps[this.run.index] as Tap).plugin;
  }

  expire(): void {
    const error = new AtlasError(
      `Plugin "${this.culprit}" did not finish hook "${this.plan.hook}" within ${this.deadlineMs} ms.`,
      { reason: 'E_HOOK_TIMEOUT', hint: 'Look at what that plugin waits for.' },
    );
    this.fail(error);
    if (!this.plan.alone) this.scope.abort(error);
  }
}

/** Runs every tap for itself, all at once, and puts what `failed` makes of a failure in its place. */
function each<R, F>(
  plans: readonly Plan[],
  run: (plan: Plan) => R,
  failed: (failure: TapFailure) => F,
): Promise<(Awaited<R> | F)[]> {
  const one = async (plan: Plan) => {
    try {
      return await run(plan);
    } catch (error) {
      return failed({ plugin: plan.taps[0]?.plugin ?? '', error: error as AtlasError });
    }
  };
  return Promise.all(plans.map(one));
}

const NO_FAILURES: readonly TapFailure[] = Object.freeze([]);

/** The dispatcher of a hook of any kind but `keyed`, over its taps in final order. */
export function compileDispatch(hook: AnyHook, taps: readonly Tap[], deadlines: Deadlines): Dispatch {
  const { id, kind } = hook;
  if (kind === 'keyed') throw new AtlasError(`Hook "${id}" is keyed: dispatch it by key.`, { reason: 'E_HOOK_KIND' });
  if (kind === 'parallel') {
    if (taps.length === 0) return () => NO_FAILURES;
    const plans = taps.map((tap): Plan => ({ hook: id, taps: [tap], take: TAKE.series, deadlines, alone: true }));
    return async (payload, scope, deadlineMs) => {
      const failures: TapFailure[] = [];
      const run = (plan: Plan) => dispatch(plan, payload, undefined, scope, deadlineMs);
      await each(plans, run, (failure) => failures.push(failure));
      return failures;
    };
  }
  if (taps.length === 0) {
    return kind === 'waterfall' ? (payload) => payload : kind === 'collect' ? () => [] : () => undefined;
  }
  const { failedItem } = hook;
  if (failedItem !== undefined) {
    const plans = taps.map((tap): Plan => ({ hook: id, taps: [tap], take: TAKE.collect, deadlines, alone: true }));
    return async (payload, scope, deadlineMs) => {
      const run = (plan: Plan) => dispatch(plan, payload, [], scope, deadlineMs);
      const lists = await each(plans, run, ({ plugin, error }) => [{ plugin, value: failedItem(plugin, error) }]);
      return lists.flat();
    };
  }
  const plan: Plan = { hook: id, taps, take: TAKE[kind], deadlines, alone: false };
  const initial = (payload: unknown) => (kind === 'waterfall' ? payload : kind === 'collect' ? [] : undefined);
  return (payload, scope, deadlineMs) => dispatch(plan, payload, initial(payload), scope, deadlineMs);
}

/** The dispatcher of one key of a `keyed` hook. */
export function compileKeyed(hook: AnyHook, tap: Tap, deadlines: Deadlines): Dispatch {
  const plan: Plan = { hook: hook.id, taps: [tap], take: TAKE.keyed, deadlines, alone: false };
  return (payload, scope, deadlineMs) => dispatch(plan, payload, undefined, scope, deadlineMs);
}
