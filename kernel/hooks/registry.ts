/** Holds all taps of one app: open while plugins set up, then sealed, sorted and compiled once. */
import { AtlasError, type BootProblem, messageOf } from '../errors.ts';
import type { Scope } from '../scope.ts';
import { Deadlines } from './deadline.ts';
import { compileDispatch, type Dispatch, isThenable, type Tap } from './dispatch.ts';
import type { AnyHook, Awaitable, CallResult, Hook, PayloadOf, TapHandler } from './kinds.ts';
import { sortTaps, type TapOptions } from './order.ts';

/**
 * Watches every tap: asked once for each when the hooks are sealed, for what is then told of each run, its milliseconds.
 * An answer that was promised counts until it settles. Must not throw.
 */
export type HookObserver = (hook: string, plugin: string) => (durationMs: number) => void;

interface RegisteredTap extends Tap {
  readonly order: TapOptions;
  readonly key: string | undefined;
  /** Tapped after the start, and so never named: keys may tell of one organization to another. */
  readonly isLate: boolean;
}

interface Entry {
  readonly hook: AnyHook;
  taps: RegisteredTap[];
  dispatch: Dispatch | undefined;
  readonly byKey: Map<string, Dispatch>;
}

/** A hook as `atlas hooks` prints it. */
export interface HookDescription {
  readonly id: string;
  readonly kind: string;
  readonly gate: boolean;
  readonly summary: string;
  readonly taps: readonly { readonly plugin: string; readonly key?: string }[];
}

export class HookRegistry {
  /** Ids of the hooks that a gate of the catalog guards. */
  readonly #guarded: ReadonlySet<string | undefined>;
  readonly #entries = new Map<AnyHook, Entry>();
  readonly #deadlines = new Deadlines();
  readonly #observers: HookObserver[] = [];
  /** Ids of guarded hooks whose gates have no guard, as nothing had tapped them at the start. `undefined`: not sealed. */
  #unguarded: Set<string> | undefined;

  /** `catalog`: the hooks known before any plugin; plugins may tap and call hooks of their own as well. */
  constructor(catalog: readonly AnyHook[]) {
    for (const hook of catalog) this.#entry(hook);
    this.#guarded = new Set(catalog.map(({ gateOf }) => gateOf));
  }

  #entry(hook: AnyHook): Entry {
    const known = this.#entries.get(hook);
    if (known !== undefined) return known;
    const entry: Entry = { hook, taps: [], dispatch: undefined, byKey: new Map() };
    this.#entries.set(hook, entry);
    return entry;
  }

  /**
   * Adds a tap; the result takes it away again. Errors: the same plugin twice, a key that has an owner, a key where none
   * belongs; after the seal, anything but a key of a hook whose gates are guarded.
   */
  tap<H extends AnyHook>(
    plugin: string,
    hook: H,
    handler: TapHandler<H>,
    { key, order = {} }: { order?: TapOptions; key?: string },
  ): () => void {
    const where = key === undefined ? `hook "${hook.id}"` : `hook "${hook.id}" for "${key}"`;
    const refuse = (problem: string, reason: string): never => {
      throw new AtlasError(`Plugin "${plugin}" taps ${where}${problem}.`, { reason });
    };
    const isLate = this.#unguarded !== undefined;
    if (isLate && key === undefined) refuse(' after the start; tap inside setup', 'E_HOOKS_SEALED');
    if (this.#unguarded?.has(hook.id)) refuse(' after a start without what must guard it', 'E_HOOKS_SEALED');
    if (hook.kind === 'keyed' && key === undefined) refuse(', which needs a key; use tapKey', 'E_HOOK_KIND');
    if (hook.kind !== 'keyed' && key !== undefined) refuse(', which takes no key; use tap', 'E_HOOK_KIND');
    const entry = this.#entry(hook);
    const owner = entry.taps.find((tap) => tap.key === key && (key !== undefined || tap.plugin === plugin));
    if (owner?.plugin === plugin) refuse(' twice; do both things in one tap', 'E_TAP_DUPLICATE');
    if (owner !== undefined) refuse(`, which is "${owner.plugin}"'s; rename one or leave one out`, 'E_TAP_DUPLICATE');
    const tap: RegisteredTap = { plugin, handler, order, key, isLate };
    entry.taps.push(tap);
    if (isLate) this.#compile(entry, [tap]);
    return () => {
      const others = entry.taps.filter((other) => other.key !== key || other.plugin !== plugin);
      if (others.length < entry.taps.length) entry.byKey.delete(key as string);
      entry.taps = others;
    };
  }

  /** From now on every tap of the plugin throws: its gates refuse, its observers report. */
  fail(plugin: string, error: unknown): void {
    const refuse = () => {
      throw new AtlasError(`Plugin "${plugin}" has failed: ${messageOf(error)}`, {
        reason: 'E_PLUGIN_FAILED',
        hint: 'Restart the service once the cause is removed.',
      });
    };
    for (const entry of this.#entries.values()) {
      if (!entry.taps.some((tap) => tap.plugin === plugin)) continue;
      entry.taps = entry.taps.map((tap) => (tap.plugin === plugin ? { ...tap, handler: refuse } : tap));
      if (this.#unguarded !== undefined) this.#compile(entry);
    }
  }

  /** Only before the seal: hooks are compiled with what watches them, and cost nothing more without. */
  observe(observer: HookObserver): void {
    this.#observers.push(observer);
  }

  #compile(entry: Entry, compiled: readonly RegisteredTap[] = entry.taps): void {
    const { hook, byKey } = entry;
    const taps = this.#observers.reduce(
      (watched, observer) =>
        watched.map((tap) => ({ ...tap, handler: timed(tap.handler, observer(hook.id, tap.plugin)) })),
      compiled,
    );
    if (hook.kind !== 'keyed') entry.dispatch = compileDispatch(hook, taps, this.#deadlines);
    if (hook.kind !== 'keyed' && hook.kind !== 'collect') return;
    for (const tap of taps) byKey.set(tap.key ?? tap.plugin, compileDispatch(hook, [tap], this.#deadlines));
  }

  /** Sorts and compiles. Returns what is wrong: contradictory orders, and gates without a tap or a seal. */
  seal(hintFor: (hookId: string) => string | undefined): BootProblem[] {
    this.#unguarded = new Set();
    const problems: BootProblem[] = [];
    const tapped = new Set([...this.#entries.values()].filter((e) => e.taps.length > 0).map((e) => e.hook.id));
    for (const entry of this.#entries.values()) {
      const { hook } = entry;
      entry.taps = sortTaps(hook.id, entry.taps, problems);
      this.#compile(entry);
      const guards = entry.taps.filter(({ order }) => !hook.sealed || order.seals === true);
      if (hook.gateOf === undefined || guards.length > 0) continue;
      this.#unguarded.add(hook.gateOf);
      if (tapped.has(hook.gateOf)) {
        const verb = entry.taps.length === 0 ? 'guards' : 'seals';
        const fitting = hook.sealed ? 'a plugin that taps it with "seals: true"' : 'one that taps it';
        problems.push({
          plugin: undefined,
          message: `No plugin ${verb} "${hook.id}", which "${hook.gateOf}" needs.`,
          hint: `Add ${hintFor(hook.id) ?? fitting} to the plugins in atlas.config.ts.`,
        });
      }
    }
    return problems;
  }

  /** Runs a hook of any kind but `keyed`. Answers at once where every tap does. */
  call<H extends AnyHook>(hook: H, payload: PayloadOf<H>, scope: Scope, deadlineMs?: number): Awaitable<CallResult<H>> {
    const dispatch = this.#entries.get(hook)?.dispatch ?? compileDispatch(hook, [], this.#deadlines);
    return dispatch(payload, scope, deadlineMs ?? hook.deadlineMs) as Awaitable<CallResult<H>>;
  }

  /** Runs the owner of `key`. An unknown key is an error that lists the known ones. */
  callKey<P, R>(hook: Hook<'keyed', P, R>, key: string, payload: P, scope: Scope, deadlineMs?: number): Awaitable<R> {
    const dispatch = this.#entries.get(hook)?.byKey.get(key);
    if (dispatch === undefined) {
      const taps = this.#entries.get(hook)?.taps.filter(({ isLate }) => !isLate) ?? [];
      const known = taps.map((tap) => tap.key ?? tap.plugin).join(', ') || 'none';
      const message = `Nothing answers "${key}" in hook "${hook.id}"; known: ${known}.`;
      throw new AtlasError(message, { code: 'not_found', reason: 'E_KEY_UNKNOWN' });
    }
    return dispatch(payload, scope, deadlineMs ?? hook.deadlineMs) as Awaitable<R>;
  }

  /** `callKey` for plugins, which reach what a gate guards through the pipelines only. */
  callOpenKey<P, R>(hook: Hook<'keyed', P, R>, ...rest: [string, P, Scope, number?]): Awaitable<R> {
    if (this.#guarded.has(hook.id)) {
      const message = `A plugin cannot call hook "${hook.id}" itself; use runSql or runAction.`;
      throw new AtlasError(message, { reason: 'E_HOOK_GATED' });
    }
    return this.callKey(hook, ...rest);
  }

  describe(): HookDescription[] {
    return [...this.#entries.values()].map(({ hook, taps }) => ({
      id: hook.id,
      kind: hook.kind,
      gate: hook.gateOf !== undefined,
      summary: hook.summary,
      taps: taps
        .filter(({ isLate }) => !isLate)
        .map(({ plugin, key }) => (key === undefined ? { plugin } : { plugin, key })),
    }));
  }
}

/** The same handler, timed. What it answers or throws goes on untouched. */
function timed(handler: Tap['handler'], ended: (durationMs: number) => void): Tap['handler'] {
  return (payload, scope) => {
    const startedAt = performance.now();
    const end = () => ended(performance.now() - startedAt);
    let settled: Promise<unknown> | undefined;
    try {
      const answer = handler(payload, scope);
      if (!isThenable(answer)) return answer;
      // Followed once: a builder of statements runs its statement each time.
      settled = Promise.resolve(answer);
      settled.then(end, end);
      return settled;
    } finally {
      if (settled === undefined) end();
    }
  };
}
