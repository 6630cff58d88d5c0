/**
 * Running the taps of one hook. Taps run in a plain loop as long as they answer at once; the first promise moves the
 * rest to an asynchronous loop under one deadline. Without taps nothing is done.
 */
import { AtlasError, blame } from '../errors.ts';
import type { Scope } from '../scope.ts';
import { type Deadlines, Wait } from './deadline.ts';
import type { AnyHook, Collected, TapFailure } from './kinds.ts';

export interface Tap {
  readonly plugin: string;
  // biome-ignore lint/suspicious/noExplicitAny: the registry's public signatures hold the types together
  readonly handler: (payload: any, scope: Scope) => unknown;
}

/** Throws or rejects with an `AtlasError` that names plugin and hook. */
export type Dispatch = (payload: unknown, scope: Scope, deadlineMs: number) => unknown;

interface State {
  payload: unknown;
  result: unknown;
}

/** Takes one tap's answer into the state; `true` ends the loop. */
type Take = (state: State, answer: unknown, plugin: string) => boolean;

const TAKE: Record<'first' | 'waterfall' | 'series' | 'collect' | 'keyed', Take> = {
  first: (state, answer) => {
    if (answer === undefined) return false;
    state.result = answer;
    return true;
  },
  waterfall: (state, answer) => {
    if (answer !== undefined) state.payload = state.result = answer;
    return false;
  },
  series: () => false,
  collect: (state, answer, plugin) => {
    for (const value of answer as readonly unknown[]) (state.result as Collected<unknown>[]).push({ plugin, value });
    return false;
  },
  keyed: (state, answer) => {
    state.result = answer;
    return true;
  },
};

/** Observers run one by one under this; it also tells a deadline to leave the request alone. */
const OBSERVE: Take = () => true;

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function tooSlow(plugin: string, hook: string, deadlineMs: number): AtlasError {
  const error = new AtlasError(`Plugin "${plugin}" did not finish hook "${hook}" within ${deadlineMs} ms.`, {
    reason: 'E_HOOK_TIMEOUT',
    hint: 'Look at what that plugin waits for, or raise its deadline.',
  });
  return blame(error, plugin, hook);
}

/** A dispatch that has met a promise: settles once, by its taps or by its deadline. */
class Run extends Wait {
  readonly deadlines: Deadlines;
  readonly hook: string;
  readonly taps: readonly Tap[];
  readonly take: Take;
  readonly state: State;
  readonly scope: Scope;
  readonly deadlineMs: number;
  index: number;
  settled = false;
  resolve: (value: unknown) => void = ignore;
  reject: (error: unknown) => void = ignore;

  constructor(
    deadlines: Deadlines,
    hook: string,
    taps: readonly Tap[],
    take: Take,
    state: State,
    scope: Scope,
    deadlineMs: number,
    index: number,
  ) {
    super();
    this.deadlines = deadlines;
    this.hook = hook;
    this.taps = taps;
    this.take = take;
    this.state = state;
    this.scope = scope;
    this.deadlineMs = deadlineMs;
    this.index = index;
  }

  /** Goes on with the answer that tap number `index` promised. */
  // Callbacks instead of an async function: one promise less for each dispatch, measured by `bench -- hooks`.
  start(pending: PromiseLike<unknown>): Promise<unknown> {
    const promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.deadlines.add(this, this.deadlineMs);
    const fail = (error: unknown) => this.#fail(error);
    const next = (answer: unknown) => this.#next(answer, next, fail);
    pending.then(next, fail);
    return promise;
  }

  #next(settledAnswer: unknown, next: (answer: unknown) => void, fail: (error: unknown) => void): void {
    if (this.settled) return;
    const { taps, state, take } = this;
    try {
      let answer = settledAnswer;
      while (!take(state, answer, (taps[this.index] as Tap).plugin)) {
        this.index += 1;
        if (this.index === taps.length) break;
        answer = (taps[this.index] as Tap).handler(state.payload, this.scope);
        if (isThenable(answer)) {
          answer.then(next, fail);
          return;
        }
      }
    } catch (error) {
      fail(error);
      return;
    }
    this.#end();
    this.resolve(state.result);
  }

  #fail(error: unknown): void {
    if (this.settled) return;
    this.#end();
    this.reject(blame(error, (this.taps[this.index] as Tap).plugin, this.hook));
  }

  #end(): void {
    this.settled = true;
    this.deadlines.remove(this);
  }

  expire(): void {
    const error = tooSlow((this.taps[this.index] as Tap).plugin, this.hook, this.deadlineMs);
    this.#fail(error);
    if (this.take !== OBSERVE) this.scope.abort(error);
  }
}

function ignore(): void {}

function walk(
  deadlines: Deadlines,
  hook: string,
  taps: readonly Tap[],
  take: Take,
  state: State,
  scope: Scope,
  deadlineMs: number,
): unknown {
  for (let index = 0; index < taps.length; index += 1) {
    const tap = taps[index] as Tap;
    let answer: unknown;
    try {
      answer = tap.handler(state.payload, scope);
      if (!isThenable(answer)) {
        if (take(state, answer, tap.plugin)) break;
        continue;
      }
    } catch (error) {
      throw blame(error, tap.plugin, hook);
    }
    return new Run(deadlines, hook, taps, take, state, scope, deadlineMs, index).start(answer);
  }
  return state.result;
}

/** Runs every observer for itself; one that hangs is reported and does not end the request that it observes. */
async function observe(
  deadlines: Deadlines,
  hook: string,
  taps: readonly Tap[],
  payload: unknown,
  scope: Scope,
  deadlineMs: number,
): Promise<readonly TapFailure[]> {
  const failures: TapFailure[] = [];
  const one = async (tap: Tap) =>
    walk(deadlines, hook, [tap], OBSERVE, { payload, result: undefined }, scope, deadlineMs);
  await Promise.all(
    taps.map((tap) => one(tap).catch((error) => failures.push({ plugin: tap.plugin, error: error as AtlasError }))),
  );
  return failures;
}

/** Turns a tap's failure into the item that stands for it. */
function standIn(hook: AnyHook, tap: Tap): Tap {
  const { failedItem } = hook;
  if (failedItem === undefined) return tap;
  const item = (error: unknown) => [failedItem(tap.plugin, blame(error, tap.plugin, hook.id))];
  return {
    plugin: tap.plugin,
    handler: (payload, scope) => {
      try {
        const answer = tap.handler(payload, scope);
        return isThenable(answer) ? Promise.resolve(answer).catch(item) : answer;
      } catch (error) {
        return item(error);
      }
    },
  };
}

const NO_FAILURES: readonly TapFailure[] = Object.freeze([]);

/** The dispatcher of a hook of any kind but `keyed`, over its taps in final order. */
export function compileDispatch(hook: AnyHook, taps: readonly Tap[], deadlines: Deadlines): Dispatch {
  const { id, kind } = hook;
  if (kind === 'keyed') throw new AtlasError(`Hook "${id}" is keyed: dispatch it by key.`, { reason: 'E_HOOK_KIND' });
  if (kind === 'parallel') {
    return (payload, scope, deadlineMs) =>
      taps.length === 0 ? NO_FAILURES : observe(deadlines, id, taps, payload, scope, deadlineMs);
  }
  if (taps.length === 0) {
    return kind === 'waterfall' ? (payload) => payload : kind === 'collect' ? () => [] : () => undefined;
  }
  const take = TAKE[kind];
  const safe = taps.map((tap) => standIn(hook, tap));
  return (payload, scope, deadlineMs) => {
    const result = kind === 'waterfall' ? payload : kind === 'collect' ? [] : undefined;
    return walk(deadlines, id, safe, take, { payload, result }, scope, deadlineMs);
  };
}

/** The dispatcher of one key of a `keyed` hook. */
export function compileKeyed(hook: AnyHook, tap: Tap, deadlines: Deadlines): Dispatch {
  const taps = [tap];
  return (payload, scope, deadlineMs) =>
    walk(deadlines, hook.id, taps, TAKE.keyed, { payload, result: undefined }, scope, deadlineMs);
}
