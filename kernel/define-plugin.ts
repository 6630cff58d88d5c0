/** Defines a plugin: what an author writes, and the typed entry and reference that comes out of it. */
import type { Static, TSchema } from '@sinclair/typebox';
import type { AppDescription, PluginType } from './description.ts';
import type { EventType } from './events.ts';
import type { AnyHook, Awaitable, CallResult, Hook, PayloadOf, TapHandler } from './hooks/kinds.ts';
import type { TapOptions } from './hooks/order.ts';
import type { HookObserver } from './hooks/registry.ts';
import type { Logger } from './log.ts';
import type { GivenOptions } from './option-types.ts';
import type { Pipelines } from './pipelines.ts';
import type { Scope, ScopeInit } from './scope.ts';

/** A plugin as others name it in `needs`. `A` is the API that its setup returns. */
export interface PluginRef<A = unknown> {
  readonly pluginName: string;
  /** Never set: carries the type. */
  readonly api?: A;
}

export interface OptionalRef<A = unknown> {
  readonly optional: PluginRef<A>;
}

export type Needs = Readonly<Record<string, PluginRef | OptionalRef>>;

export type Resolved<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends OptionalRef<infer A>
    ? A | undefined
    : N[K] extends PluginRef<infer A>
      ? A
      : never;
};

/** A need that may be missing: `undefined` in `needs` when the composition leaves the plugin out. */
export const optional = <A>(ref: PluginRef<A>): OptionalRef<A> => ({ optional: ref });

/**
 * What a plugin may do. Taps and lifecycle callbacks are taken only while `setup` runs, but for keys. Databases and
 * actions are reached through `runSql` and `runAction` only.
 */
export interface PluginContext extends Pipelines {
  readonly plugin: string;
  /** Its lines carry the plugin's name. */
  readonly log: Logger;
  /** For lines about a request: they carry its id and the actor's too. */
  logOf(scope: Scope): Logger;
  /** Milliseconds since the epoch; fixed in tests. */
  now(): number;
  tap<H extends AnyHook>(hook: H, handler: TapHandler<H>, options?: TapOptions): void;
  /** Also after the start, for a key without an owner. The result takes the tap away. */
  tapKey<P, R>(hook: Hook<'keyed', P, R>, key: string, handler: TapHandler<Hook<'keyed', P, R>>): () => void;
  call<H extends AnyHook>(hook: H, payload: PayloadOf<H>, scope: Scope, deadlineMs?: number): Awaitable<CallResult<H>>;
  /** Not for what a gate guards: that goes through `runSql` and `runAction`. */
  callKey<P, R>(hook: Hook<'keyed', P, R>, key: string, payload: P, scope: Scope, deadlineMs?: number): Awaitable<R>;
  /** A request that starts here: at the HTTP server, in a schedule, in a webhook. */
  scope(init?: Omit<ScopeInit, 'log'>): Scope;
  emit<T>(event: EventType<T>, payload: T): void;
  on<T>(event: EventType<T>, listener: (payload: T) => void): void;
  /** Whether the event has listeners: check this before building an expensive payload. */
  hasListeners<T>(event: EventType<T>): boolean;
  /** Times every tap of every plugin. The observer must not throw. */
  observeHooks(observer: HookObserver): void;
  /** What runs here: plugins, hooks, times. */
  describe(): AppDescription;
  /** After every plugin is set up and the hooks are sealed. */
  onReady(callback: () => Awaitable<void>): void;
  /** Stop taking new work. All plugins drain before any closes. */
  onDrain(callback: () => Awaitable<void>): void;
  /** Release what setup acquired, in reverse order of setup. */
  onClose(callback: () => Awaitable<void>): void;
  /** Gives the plugin up at run time: its gates refuse from now on. */
  fail(error: unknown): void;
}

export interface PluginDefinition<N extends Needs, S extends TSchema, A> {
  /** `role-variant` in kebab-case. */
  readonly name: string;
  readonly version: string;
  readonly type: PluginType;
  /** One sentence. */
  readonly description: string;
  readonly needs?: N;
  readonly options?: S;
  /** Longest time setup, and each later moment, may take. Default 30,000. */
  readonly setupTimeoutMs?: number;
  setup(ctx: PluginContext, options: Static<S>, needs: Resolved<N>): Awaitable<A>;
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every plugin, whatever its types
export type AnyPluginDefinition = PluginDefinition<any, any, any>;

/** A plugin with its options: an item of `plugins` in the configuration. */
export interface PluginEntry {
  readonly definition: AnyPluginDefinition;
  readonly options: unknown;
}

/** What `atlas.config.ts` exports. */
export interface AtlasConfig {
  /** What runs here. The order matters only between plugins that do not need one another. */
  readonly plugins: readonly PluginEntry[];
}

export const defineConfig = (config: AtlasConfig): AtlasConfig => config;

type Given<S> = object extends GivenOptions<S> ? [options?: GivenOptions<S>] : [options: GivenOptions<S>];

/** Called it is an entry for the configuration, named it is the reference for `needs`. */
export interface Plugin<S extends TSchema, A> extends PluginRef<A> {
  (...given: Given<S>): PluginEntry;
  readonly definition: AnyPluginDefinition;
}

export function definePlugin<A, N extends Needs = Record<never, never>, S extends TSchema = TSchema>(
  definition: PluginDefinition<N, S, A>,
): Plugin<S, Awaited<A>> {
  const entry = (...[options]: Given<S>): PluginEntry => ({ definition, options });
  return Object.assign(entry, { pluginName: definition.name, definition });
}
