/** Declares the six kinds of hook: values that carry kind, payload and result in their type. */
import type { Scope } from '../scope.ts';

export type HookKind = 'first' | 'waterfall' | 'series' | 'parallel' | 'collect' | 'keyed';

export interface HookInfo {
  /** One sentence for the generated documentation. */
  readonly summary: string;
  /** Longest time one dispatch may take, in milliseconds. Default 30,000. */
  readonly deadlineMs?: number;
  /**
   * Makes the hook a gate: the composition must bring at least one tap as soon as a hook of this id has one, and any
   * failure in it refuses the request.
   */
  readonly gateOf?: string;
  /** A gate of which at least one tap must seal (`TapOptions`): one whose taps only look on guards nothing. */
  readonly sealed?: boolean;
  /** `collect` only: the item that stands for a tap that failed, where one failure must not hide the others' items. */
  readonly failedItem?: (plugin: string, error: Error) => unknown;
}

declare const types: unique symbol;

export interface Hook<K extends HookKind = HookKind, P = unknown, R = unknown> extends HookInfo {
  readonly id: string;
  readonly kind: K;
  readonly deadlineMs: number;
  /** Never set: carries the types. */
  readonly [types]?: { payload: P; result: R };
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every hook, whatever its types
export type AnyHook = Hook<HookKind, any, any>;
export type PayloadOf<H extends AnyHook> = H extends Hook<HookKind, infer P, infer _R> ? P : never;

export type Awaitable<T> = T | Promise<T>;

// biome-ignore lint/suspicious/noConfusingVoidType: a tap without a return statement returns void
type Nothing = void;

/** What a tap of each kind returns. `undefined` from `first` means "not mine", from `waterfall` "unchanged". */
export type TapResult<H extends AnyHook> =
  H extends Hook<infer K, infer P, infer R>
    ? {
        first: R | undefined;
        waterfall: P | undefined | Nothing;
        series: Nothing;
        parallel: Nothing;
        collect: readonly R[];
        keyed: R;
      }[K]
    : never;

export type TapHandler<H extends AnyHook> = (payload: PayloadOf<H>, scope: Scope) => Awaitable<TapResult<H>>;

/** A tap of a `parallel` hook that failed; the others ran all the same. */
export interface TapFailure {
  readonly plugin: string;
  readonly error: Error;
}

/** One item of a `collect` hook with the plugin that gave it. */
export interface Collected<R> {
  readonly plugin: string;
  readonly value: R;
}

/** What the caller of each kind gets. */
export type CallResult<H extends AnyHook> =
  H extends Hook<infer K, infer P, infer R>
    ? {
        first: R | undefined;
        waterfall: P;
        series: undefined;
        parallel: readonly TapFailure[];
        collect: readonly Collected<R>[];
        keyed: R;
      }[K]
    : never;

function hook<K extends HookKind>(kind: K) {
  return <P, R = undefined>(id: string, info: HookInfo): Hook<K, P, R> =>
    Object.freeze({ id, kind, deadlineMs: 30_000, ...info });
}

/** The first tap with an answer decides. An error stops and throws; it never falls through to the next tap. */
export const first = hook('first');
/** Each tap may return a new payload for the next. An error stops and throws. */
export const waterfall = hook('waterfall');
/** Taps run one after the other; throwing is a veto. */
export const series = hook('series');
/** Observers, all at once; their errors are gathered and never reach the caller as a throw. */
export const parallel = hook('parallel');
/** Every tap gives a list; the caller gets all items in order, each with its plugin. */
export const collect = hook('collect');
/** A `collect` hook as one whose taps are called one by one: the key is the plugin, whose items are the answer. */
export const byPlugin = <P, R>(all: Hook<'collect', P, R>) =>
  all as unknown as Hook<'keyed', P, readonly Collected<R>[]>;
/** One owner a key. */
export const keyed = hook('keyed');
