/** Starts a composition (check, sort, set up, seal, ready) and stops it in reverse. */
import type { AnyPluginDefinition, AtlasConfig, PluginContext, PluginEntry, PluginRef } from './define-plugin.ts';
import type { AppDescription, PluginStatus } from './description.ts';
import { AtlasError, BootError, type BootProblem, messageOf, messagesOf } from './errors.ts';
import { appClosed, appReady, Bus } from './events.ts';
import { checkGraph, needsOf, sortEntries } from './graph.ts';
import { catalog } from './hooks/catalog.ts';
import type { AnyHook, CallResult, Hook, PayloadOf } from './hooks/kinds.ts';
import { HookRegistry } from './hooks/registry.ts';
import { InFlight, type LifecycleStep, type Moment, runStep } from './lifecycle.ts';
import { type Logger, logFrom, SILENT } from './log.ts';
import { checkOptions } from './options.ts';
import { createPipelines, type Pipelines } from './pipelines.ts';
import { hideText, type Redact } from './redaction.ts';
import { Scope, type ScopeInit } from './scope.ts';
import { type Override, Services } from './services.ts';

export interface CreateAppOptions {
  /** Default: nothing is logged. */
  readonly log?: Logger;
  /** Takes secrets out of what observers hear of statements. Default: hides those texts. */
  readonly redact?: Redact;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number;
  readonly overrides?: readonly Override[];
  /** Which plugin to name when a gate has no tap, by hook id. */
  readonly gatePlugins?: Readonly<Record<string, string>>;
  /** Time limit of each plugin's setup and later moments, unless the plugin has its own. Default 30,000. */
  readonly timeoutMs?: number;
  /** How long close waits for running work. Default 8,000. */
  readonly drainMs?: number;
  /** Where the start ends. `sealed`: before `onReady`, to look at a composition without running it. Default `ready`. */
  readonly until?: 'sealed' | 'ready';
}

export interface App extends Pipelines, AsyncDisposable {
  readonly log: Logger;
  /** Runs a hook from outside any plugin. What a tap throws rejects the promise. */
  call<H extends AnyHook>(hook: H, payload: PayloadOf<H>, scope: Scope, deadlineMs?: number): Promise<CallResult<H>>;
  /** The same for the owner of `key`. */
  callKey<P, R>(hook: Hook<'keyed', P, R>, key: string, payload: P, scope: Scope, deadlineMs?: number): Promise<R>;
  /** The API of a plugin. Throws when the composition does not have it. */
  get<A>(ref: PluginRef<A>): A;
  /** A request that starts outside any plugin, as tests and the command line do. */
  scope(init?: Omit<ScopeInit, 'log'>): Scope;
  describe(): AppDescription;
  /** Drains, waits for running work, closes in reverse order. Rejects with all errors together. Idempotent. */
  close(): Promise<void>;
}

interface Loaded {
  readonly definition: AnyPluginDefinition;
  readonly options: unknown;
  readonly timeoutMs: number;
  readonly steps: Record<Exclude<Moment, 'setup'>, LifecycleStep[]>;
  /** Taps and lifecycle callbacks are taken only while this is true. */
  isSettingUp: boolean;
  status: PluginStatus;
  setupMs: number;
  readyMs: number;
}

/** Starts a composition. Rejects with a `BootError` that lists every problem; what was set up by then is closed. */
export async function createApp(config: AtlasConfig, options: CreateAppOptions = {}): Promise<App> {
  const app = new RunningApp(options);
  await app.boot(config.plugins);
  return app;
}

class RunningApp implements App {
  readonly log: Logger;
  readonly #options: CreateAppOptions;
  readonly #hooks = new HookRegistry(catalog);
  readonly #services = new Services();
  readonly #inFlight = new InFlight();
  readonly #pipelines: Pipelines;
  readonly #bus: Bus;
  readonly #plugins: Loaded[] = [];
  #bootMs = 0;
  #closing: Promise<void> | undefined;

  readonly call: App['call'] = async (...args) => this.#hooks.call(...args);
  readonly callKey: App['callKey'] = async (...args) => this.#hooks.callKey(...args);
  readonly runSql: App['runSql'] = (...args) => this.#pipelines.runSql(...args);
  readonly runAction: App['runAction'] = (...args) => this.#pipelines.runAction(...args);

  constructor(options: CreateAppOptions) {
    this.#options = options;
    this.log = options.log ?? SILENT;
    this.#bus = new Bus(this.log);
    this.#pipelines = createPipelines(this.#hooks, this.#inFlight, options.redact ?? hideText);
  }

  async boot(entries: readonly PluginEntry[]): Promise<void> {
    const startedAt = performance.now();
    this.#check(entries);
    try {
      for (const plugin of this.#plugins) await this.#setUp(plugin);
      const problems = this.#hooks.seal((hookId) => this.#options.gatePlugins?.[hookId]);
      if (problems.length > 0) throw new BootError(problems);
      if (this.#options.until !== 'sealed') for (const plugin of this.#plugins) await this.#makeReady(plugin);
    } catch (error) {
      // What closes badly after a failed start is told together with the failure itself.
      const closing = await this.close().then(
        () => [],
        ({ details }: AtlasError) => details as BootProblem[],
      );
      if (error instanceof BootError && closing.length === 0) throw error;
      const hint = error instanceof AtlasError ? error.hint : undefined;
      const problems =
        error instanceof BootError ? error.problems : [{ plugin: undefined, message: messageOf(error), hint }];
      throw new BootError([...problems, ...closing], error);
    }
    this.#bootMs = performance.now() - startedAt;
    if (this.#options.until !== 'sealed') this.#bus.emit(appReady, { bootMs: this.#bootMs });
  }

  #check(listed: readonly PluginEntry[]): void {
    const overrides = this.#options.overrides ?? [];
    for (const { ref, api } of overrides) this.#services.provide(ref.pluginName, api);
    const replaced = new Set(overrides.map(({ ref }) => ref.pluginName));
    const entries = listed.filter(({ definition }) => !replaced.has(definition.name));
    const problems = checkGraph(entries, replaced);
    const sorted = sortEntries(entries, problems);
    for (const { definition, options } of sorted) {
      this.#plugins.push({
        definition,
        options: checkOptions(definition.name, definition.options, options, problems),
        timeoutMs: definition.setupTimeoutMs ?? this.#options.timeoutMs ?? 30_000,
        steps: { onReady: [], onDrain: [], onClose: [] },
        isSettingUp: false,
        status: 'registered',
        setupMs: 0,
        readyMs: 0,
      });
    }
    if (problems.length > 0) throw new BootError(problems);
  }

  async #setUp(plugin: Loaded): Promise<void> {
    const { definition, options, timeoutMs } = plugin;
    const { name } = definition;
    const startedAt = performance.now();
    const needs = this.#services.resolve(definition.needs ?? {});
    const run = () => definition.setup(this.#context(plugin), options, needs);
    plugin.isSettingUp = true;
    try {
      const api: unknown = await runStep('setup', { plugin: name, timeoutMs, run });
      if (api !== undefined) this.#services.provide(name, api);
    } catch (error) {
      plugin.status = 'failed';
      throw error;
    } finally {
      plugin.isSettingUp = false;
    }
    plugin.setupMs = performance.now() - startedAt;
  }

  async #makeReady(plugin: Loaded): Promise<void> {
    const startedAt = performance.now();
    for (const step of plugin.steps.onReady) await runStep('onReady', step);
    plugin.status = 'ready';
    plugin.readyMs = performance.now() - startedAt;
  }

  #context(plugin: Loaded): PluginContext {
    const { timeoutMs, definition } = plugin;
    const { name } = definition;
    const during = (what: string) => {
      if (plugin.isSettingUp) return;
      const message = `Plugin "${name}" calls ${what} after its setup; do it inside setup, which has to await or return what does it.`;
      throw new AtlasError(message, { reason: 'E_SETUP_OVER' });
    };
    const at = (moment: Exclude<Moment, 'setup'>) => (run: LifecycleStep['run']) => {
      during(moment);
      plugin.steps[moment].push({ plugin: name, timeoutMs, run });
    };
    const log = logFrom(this.log, () => ({ plugin: name }));
    return {
      plugin: name,
      log,
      logOf: (scope) => scope.logTo(log),
      now: this.#options.now ?? Date.now,
      tap: (hook, handler, order) => {
        during('tap');
        this.#hooks.tap(name, hook, handler, order === undefined ? {} : { order });
      },
      tapKey: (hook, key, handler) => {
        if (plugin.status === 'failed') throw new AtlasError(`Plugin "${name}" has failed.`);
        return this.#hooks.tap(name, hook, handler, { key });
      },
      call: this.#hooks.call.bind(this.#hooks),
      callKey: this.#hooks.callOpenKey.bind(this.#hooks),
      ...this.#pipelines,
      scope: (init) => this.scope(init),
      emit: (event, payload) => this.#bus.emit(event, payload),
      on: (event, listener) => this.#bus.on(name, event, listener),
      hasListeners: (event) => this.#bus.hasListeners(event),
      observeHooks: (observer) => {
        during('observeHooks');
        this.#hooks.observe(observer);
      },
      describe: () => this.describe(),
      onReady: at('onReady'),
      onDrain: at('onDrain'),
      onClose: at('onClose'),
      fail: (error) => {
        plugin.status = 'failed';
        this.#hooks.fail(name, error);
        log.error({ error: messagesOf(error) }, 'A plugin has failed; its gates refuse from now on.');
      },
    };
  }

  get<A>(ref: PluginRef<A>): A {
    const api = this.#services.get(ref);
    if (api !== undefined) return api;
    throw new AtlasError(`There is no plugin "${ref.pluginName}" with an API.`, { reason: 'E_PLUGIN_UNKNOWN' });
  }

  scope(init: Omit<ScopeInit, 'log'> = {}): Scope {
    return new Scope({ ...init, log: this.log });
  }

  describe(): AppDescription {
    return {
      plugins: this.#plugins.map(({ definition, status, setupMs, readyMs }) => {
        const { name, version, type, description } = definition;
        const needs = needsOf(definition).map(({ pluginName }) => pluginName);
        return { name, version, type, description, needs, status, setupMs, readyMs };
      }),
      hooks: this.#hooks.describe(),
      bootMs: this.#bootMs,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const plugins = this.#plugins.toReversed();
    const problems: BootProblem[] = [];
    const report = (message: string) => problems.push({ plugin: undefined, message });
    const run = async (moment: 'onDrain' | 'onClose', { steps }: Loaded) => {
      for (const step of steps[moment].toReversed())
        await runStep(moment, step).catch(({ message }) => report(message));
    };
    for (const plugin of plugins) await run('onDrain', plugin);
    const running = await this.#inFlight.settle(this.#options.drainMs ?? 8_000);
    if (running.length > 0) {
      const some = running.slice(0, 5).join(', ');
      report(`Closed although this still ran: ${some}${running.length > 5 ? ', …' : ''}.`);
    }
    for (const plugin of plugins) {
      await run('onClose', plugin);
      if (plugin.status !== 'failed') plugin.status = 'stopped';
    }
    this.#bus.emit(appClosed, { errors: problems.length });
    if (problems.length === 0) return;
    const message = `Atlas closed with problems: ${problems.map((problem) => problem.message).join(' ')}`;
    throw new AtlasError(message, { reason: 'E_CLOSE', details: problems });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
