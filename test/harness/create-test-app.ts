/** Starts an app for tests: fixed clock, captured log, requests without a socket, closed at the end of the block. */
import {
  type App,
  authAuthorize,
  authResolve,
  createApp,
  definePlugin,
  type Logger,
  type Override,
  type PluginEntry,
  type PluginRef,
  Scope,
  type ScopeInit,
  sqlAfter,
  sqlCheck,
} from '../../kernel/index.ts';
import { authLookup, present } from '../../plugins/auth-kit/index.ts';
import { withoutCredentials } from '../../plugins/redaction-kit/index.ts';
import { observed } from './observed-apps.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Who wrote it, or whose fault it tells. */
  readonly plugin: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface InjectedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  json<T = unknown>(): T;
}

export interface InjectedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string | object;
}

/** The part of the `http` plugin's API that tests use; any plugin of that name serves. */
const http: PluginRef<{ inject(request: InjectedRequest): Promise<InjectedResponse> }> = { pluginName: 'http' };

export interface TestAppOptions {
  readonly plugins: readonly PluginEntry[];
  readonly overrides?: readonly Override[];
  /** The clock, which a function moves. Default 2026-01-15T12:00:00Z. */
  readonly now?: Date | (() => number);
  /**
   * Fills every gate that the plugins leave empty with one that lets all through, so that a plugin can be tested
   * alone. Default true; false shows what the composition really lacks.
   */
  readonly openGates?: boolean;
  readonly timeoutMs?: number;
  readonly drainMs?: number;
}

export interface TestApp extends App {
  readonly lines: readonly LogLine[];
  inject(request: InjectedRequest): Promise<InjectedResponse>;
}

/** Lets everything through. Only tests may use it. */
const openGates = definePlugin({
  name: 'test-open-gates',
  version: '1.0.0',
  type: 'policy',
  description: 'Opens every gate that the tested plugins leave empty.',
  setup(ctx) {
    const actor = { id: 'tester', label: 'tester', role: 'admin', mode: 'test', claims: {} } as const;
    ctx.tap(authResolve, () => ({ actor, orgId: null }), { stage: 'post' });
    ctx.tap(authAuthorize, () => {});
    ctx.tapKey(authLookup, actor.mode, () => present({ actor, orgId: null }));
    ctx.tap(sqlCheck, () => {}, { seals: true });
    ctx.tap(sqlAfter, () => {});
  },
});

function capture(lines: LogLine[]): Logger {
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    const { plugin, ...rest } = fields as Record<string, unknown>;
    lines.push({ level, plugin: plugin as string | undefined, fields: rest, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** On a busy test machine a database is not away because a connection takes long. */
const PATIENCE: Readonly<Record<string, object>> = {
  'internal-db': { acquireTimeoutMs: 20_000, silenceMs: 10_000 },
};

/** The options that a test gives count more. */
function patient({ definition, options }: PluginEntry): PluginEntry {
  const known = Object.keys(definition.options?.properties ?? {});
  const own = Object.entries(PATIENCE[definition.name] ?? {}).filter(([name]) => known.includes(name));
  return own.length === 0
    ? { definition, options }
    : { definition, options: { ...Object.fromEntries(own), ...(options as object | undefined) } };
}

/** Boots the plugins. Use with `await using`; rejects like `createApp`. */
export async function createTestApp(options: TestAppOptions): Promise<TestApp> {
  const lines: LogLine[] = [];
  const { now: clock = new Date('2026-01-15T12:00:00Z') } = options;
  const plugins = options.plugins.map(patient);
  const app = await observed(() =>
    createApp(
      { plugins: options.openGates === false ? plugins : [...plugins, openGates()] },
      {
        log: capture(lines),
        redact: withoutCredentials,
        now: typeof clock === 'function' ? clock : () => clock.getTime(),
        timeoutMs: options.timeoutMs ?? 30_000,
        drainMs: options.drainMs ?? 1_000,
        ...(options.overrides === undefined ? {} : { overrides: options.overrides }),
      },
    ),
  );
  return Object.assign(app, { lines, inject: (request: InjectedRequest) => app.get(http).inject(request) });
}

/** A request outside any app, for calling code that only needs a scope. */
export function testScope(init: Omit<ScopeInit, 'log'> = {}): Scope {
  return new Scope({ ...init, log: capture([]) });
}
