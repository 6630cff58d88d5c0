import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { definePlugin, type HealthItem, healthCheck, type PluginType } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { authNone } from '../auth-none/index.ts';
import { http } from '../http/index.ts';
import { health } from './index.ts';
import { Monitor } from './monitor.ts';
import type { HealthReport } from './schemas.ts';

afterEach(() => void vi.useRealTimers());

/** A plugin whose check gives what `items` says at that time. */
function checking(
  name: string,
  items: () => readonly HealthItem[] | Promise<readonly HealthItem[]>,
  type: PluginType = 'core',
) {
  return definePlugin({
    name,
    version: '1.0.0',
    type,
    description: 'Checks something.',
    setup: (ctx) => ctx.tap(healthCheck, items),
  })();
}

const DATASOURCE: HealthItem = {
  component: 'datasource',
  id: 'default',
  status: 'ok',
  latencyMs: 3,
  details: { dbType: 'sqlite' },
};
const PROVIDER: HealthItem = { component: 'provider', status: 'ok', details: { provider: 'openai', model: 'm-1' } };
const LAYER: HealthItem = { component: 'semanticLayer', status: 'ok', details: { entityCount: 3 } };
const fixed = (...items: HealthItem[]) => checking('checks', () => items);

async function start(
  plugins: Parameters<typeof createTestApp>[0]['plugins'],
  options: Parameters<typeof health>[0] = {},
) {
  const app = await createTestApp({ plugins: [http({ port: 0 }), authNone(), health(options), ...plugins] });
  const read = async () => {
    const response = await app.inject({ method: 'GET', url: '/api/health' });
    return { status: response.statusCode, headers: response.headers, report: response.json<HealthReport>() };
  };
  return { app, read, [Symbol.asyncDispose]: () => app.close() };
}

describe('the health report', () => {
  it('has both published shapes', async () => {
    await using t = await start([fixed(DATASOURCE, PROVIDER, LAYER)]);
    const { status, headers, report } = await t.read();
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const lastCheckedAt = '2026-01-15T12:00:00.000Z';
    expect(report).toEqual({
      status: 'ok',
      checks: {
        datasource: { status: 'ok', latencyMs: 3, dbType: 'sqlite' },
        provider: { status: 'ok', provider: 'openai', model: 'm-1' },
        semanticLayer: { status: 'ok', entityCount: 3 },
        internalDb: { status: 'not_configured' },
        explore: { status: 'ok', backend: 'in-process', isolated: false },
        auth: { status: 'ok', mode: 'none', enabled: false },
        slack: { status: 'disabled', enabled: false, mode: null },
        scheduler: { status: 'disabled' },
      },
      sources: { default: { status: 'ok', latencyMs: 3, dbType: 'sqlite' } },
      components: {
        datasource: { status: 'healthy', lastCheckedAt, latencyMs: 3, dbType: 'sqlite' },
        provider: { status: 'healthy', lastCheckedAt, provider: 'openai', model: 'm-1' },
        semanticLayer: { status: 'healthy', lastCheckedAt, entityCount: 3 },
        internalDb: { status: 'disabled', lastCheckedAt },
        auth: { status: 'healthy', lastCheckedAt, mode: 'none', enabled: false },
        slack: { status: 'disabled', lastCheckedAt, enabled: false, mode: null },
        sandbox: { status: 'healthy', lastCheckedAt, backend: 'in-process', isolated: false },
        scheduler: { status: 'disabled', lastCheckedAt },
      },
    });
  });

  it('is degraded without a datasource', async () => {
    await using t = await start([fixed(PROVIDER, LAYER)]);
    const { status, report } = await t.read();
    expect([status, report.status, report.checks.datasource]).toEqual([200, 'degraded', { status: 'not_configured' }]);
    expect(report.sources).toEqual({});
  });

  it('names each connection and sums them up', async () => {
    const broken: HealthItem = { ...DATASOURCE, id: 'sales', status: 'error', message: 'The file is missing.' };
    await using t = await start([fixed(DATASOURCE, broken, PROVIDER, LAYER)]);
    const { status, report } = await t.read();
    expect([status, report.status]).toEqual([200, 'degraded']);
    expect(report.checks.datasource).toEqual({
      status: 'degraded',
      latencyMs: 3,
      dbType: 'sqlite',
      message: 'The file is missing.',
    });
    expect(report.sources.sales).toMatchObject({ status: 'error', message: 'The file is missing.' });
    expect(report.components.datasource?.status).toBe('degraded');
  });

  it.each([
    [{ provider: 'error' }, 200, 'degraded'],
    [{ datasource: 'error' }, 200, 'degraded'],
    [{ layer: 'degraded' }, 200, 'degraded'],
    [{ provider: 'error', datasource: 'error' }, 200, 'error'],
  ] as const)('with %j answers %i', async (faults: Record<string, HealthItem['status']>, status, overall) => {
    const items = [
      { ...DATASOURCE, status: faults.datasource ?? 'ok' },
      { ...PROVIDER, status: faults.provider ?? 'ok' },
      { ...LAYER, status: faults.layer ?? 'ok' },
    ];
    await using t = await start([fixed(...items)]);
    const read = await t.read();
    expect([read.status, read.report.status]).toEqual([status, overall]);
  });

  it('puts a check that throws where it belongs', async () => {
    const error = new Error('no file at postgres://ann:hunter2@db/shop');
    const failing = checking('datasource-odd', () => Promise.reject(error), 'datasource');
    await using t = await start([failing, fixed(PROVIDER, LAYER)]);
    const { report } = await t.read();
    expect(report.checks.datasource).toMatchObject({ status: 'error', message: expect.stringContaining('no file') });
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(report.checks['datasource-odd']).toBeUndefined();
  });
});

describe('the health endpoint', () => {
  it('answers at once with the last known state while a database hangs', async () => {
    let hang = false;
    const slow = checking('datasource-slow', () => (hang ? new Promise(() => {}) : [DATASOURCE]), 'datasource');
    await using t = await start([slow, fixed(PROVIDER, LAYER)], { cacheTtlMs: 0 });
    expect((await t.read()).report.status).toBe('ok');
    hang = true;
    // A request that waited for the check would see it fail.
    expect((await t.read()).report.status).toBe('ok');
    // The hook's own deadline ends the check; then the report says so, and keeps what the others said.
    await expect.poll(async () => (await t.read()).report.status, { timeout: 60_000 }).not.toBe('ok');
    const last = await t.read();
    expect(last.report.checks.datasource).toMatchObject({ status: 'error' });
    expect(last.report.checks.provider).toMatchObject({ status: 'ok' });
    expect(last.status).toBe(200);
  });

  it('checks again when the last check is no longer fresh, and only once for many requests', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let checks = 0;
    const counting = checking('counting', async () => {
      checks += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return [{ ...DATASOURCE, status: checks > 1 ? 'error' : 'ok', message: 'gone' }];
    });
    await using t = await start([counting, fixed(PROVIDER)], { cacheTtlMs: 1_000, waitMs: 60_000 });
    await Promise.all(Array.from({ length: 20 }, () => t.read()));
    expect(checks).toBe(1);
    vi.advanceTimersByTime(1_050);
    expect((await t.read()).report.checks.datasource).toMatchObject({ status: 'error', message: 'gone' });
    expect(checks).toBe(2);
  });

  it('is renewed ahead of time for frequent callers, who never wait for it', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    let checks = 0;
    const check = () => {
      checks += 1;
      return checks === 1 ? Promise.resolve([]) : new Promise<never>(() => {});
    };
    const monitor = new Monitor(check, () => 0, { cacheTtlMs: 1_000, waitMs: 25, firstWaitMs: 2_000 });
    /** How long a read takes after so many milliseconds, and how many checks have begun by then. */
    const readAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      const startedAt = performance.now();
      let isDone = false;
      void monitor.read().then(() => {
        isDone = true;
      });
      for (await nextTurn(); !isDone; await nextTurn()) vi.advanceTimersByTime(1);
      return [performance.now() - startedAt, checks];
    };
    expect(await readAfter(0)).toEqual([0, 1]);
    expect(await readAfter(749)).toEqual([0, 1]);
    expect(await readAfter(241)).toEqual([0, 2]);
    // It waits only once the old result is too old, and only for the rest of the check's time.
    expect(await readAfter(10)).toEqual([15, 2]);
    expect(await readAfter(0)).toEqual([0, 2]);
  });

  it('is not needed by a caller with credentials', async () => {
    await using t = await start([fixed(DATASOURCE, PROVIDER, LAYER)]);
    expect(
      t.app
        .get(http)
        .routes()
        .find(({ plugin }) => plugin === 'health')?.value,
    ).toMatchObject({
      right: 'public',
      essential: true,
    });
  });
});

describe('for orchestrators', () => {
  it.each([
    [{}, 200, {}],
    [{ datasource: 'error' }, 503, { datasource: 'It does not work.' }],
    [{ layer: 'error' }, 503, { semanticLayer: 'It does not work.' }],
    // Known from the last question only: without questions it would never end.
    [{ provider: 'error' }, 200, {}],
    [{ datasource: 'degraded' }, 200, {}],
  ] as const)('with %j readiness answers %i', async (faults: Record<string, HealthItem['status']>, status, failing) => {
    const items = [
      { ...DATASOURCE, status: faults.datasource ?? 'ok' },
      { ...PROVIDER, status: faults.provider ?? 'ok' },
      { ...LAYER, status: faults.layer ?? 'ok' },
    ];
    await using t = await start([fixed(...items)]);
    const ready = await t.app.inject({ method: 'GET', url: '/api/health/ready' });
    expect([ready.statusCode, ready.json()]).toEqual([status, { status: status === 200 ? 'ok' : 'error', failing }]);
    const live = await t.app.inject({ method: 'GET', url: '/api/health/live' });
    expect([live.statusCode, live.json()]).toEqual([200, { status: 'ok', failing: {} }]);
  });

  it.each([
    ['datasource', [PROVIDER, LAYER], /^No datasource is configured\. Set SVC_DATASOURCE_URL/],
    ['provider', [DATASOURCE, LAYER], /^No model provider is configured\. Set SVC_PROVIDER/],
    [
      'provider',
      [DATASOURCE, LAYER, { component: 'provider', status: 'not_configured', message: 'Set OPENAI_API_KEY.' }],
      /^Set OPENAI_API_KEY\.$/,
    ],
    [
      'semanticLayer',
      [DATASOURCE, PROVIDER, { component: 'semanticLayer', status: 'not_configured', message: 'Run atlas init.' }],
      /^Run atlas init\.$/,
    ],
  ] as const)('without %s nothing is ready, and the report is degraded', async (part, items, what) => {
    await using t = await start([fixed(...(items as readonly HealthItem[]))]);
    const ready = await t.app.inject({ method: 'GET', url: '/api/health/ready' });
    expect([ready.statusCode, ready.json()]).toEqual([
      503,
      { status: 'error', failing: { [part]: expect.stringMatching(what) } },
    ]);
    expect((await t.read()).report.status).toBe('degraded');
  });

  it('a composition without a plugin for semantic layers is ready', async () => {
    await using t = await start([fixed(DATASOURCE, PROVIDER)]);
    expect((await t.app.inject({ method: 'GET', url: '/api/health/ready' })).statusCode).toBe(200);
    expect((await t.read()).report.status).toBe('ok');
  });

  it('it is alive and not ready while it starts and stops, in the form of the probes and without errors in the log', async () => {
    const seen: unknown[] = [];
    const probing = definePlugin({
      name: 'probing',
      version: '1.0.0',
      type: 'core',
      description: 'Asks for health while the app starts and stops.',
      needs: { server: http },
      setup(ctx, _options, { server }) {
        const probe = async () => {
          for (const path of ['/live', '/ready', '', '/../openapi']) {
            const { statusCode, body } = await server.inject({ method: 'GET', url: `/api/health${path}` });
            seen.push([path, statusCode, JSON.parse(body)]);
          }
        };
        ctx.onReady(probe);
        ctx.onDrain(probe);
      },
    })();
    const app = await createTestApp({
      // Plugins are drained from the last to the first.
      plugins: [http({ port: 0 }), authNone(), probing, health(), fixed(DATASOURCE, PROVIDER, LAYER)],
    });
    await app.close();
    const ready = (now: string) => ['/ready', 503, { status: 'error', failing: { service: `Atlas is ${now}.` } }];
    const live = ['/live', 200, { status: 'ok', failing: {} }];
    const report = ['', 503, expect.objectContaining({ checks: expect.anything(), components: expect.anything() })];
    const absent = ['/../openapi', 404, expect.anything()];
    expect(seen).toEqual([live, ready('starting'), report, absent, live, ready('stopping'), report, absent]);
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('a plugin whose check fails is shown once, under the name of its part', async () => {
    const failing = (name: string, type: PluginType) =>
      checking(name, () => Promise.reject(new Error(`${name} broke.`)), type);
    await using t = await start([failing('semantic-layer', 'context'), failing('internal-db', 'storage')]);
    const { report } = await t.read();
    const faults = Object.entries(report.checks).filter(([, { status }]) => status === 'error');
    expect(faults.map(([name]) => name).sort()).toEqual(['internalDb', 'semanticLayer']);
  });

  it('the first check is made once everything is ready', async () => {
    let isReady = false;
    const late = definePlugin({
      name: 'late',
      version: '1.0.0',
      type: 'storage',
      description: 'Is broken until it is ready.',
      setup(ctx) {
        ctx.tap(healthCheck, () => [
          { component: 'internalDb', status: isReady ? ('ok' as const) : ('error' as const) },
        ]);
        ctx.onReady(() => {
          isReady = true;
        });
      },
    })();
    await using t = await start([fixed(DATASOURCE, PROVIDER, LAYER), late], { cacheTtlMs: 60_000 });
    expect((await t.read()).report.checks.internalDb).toMatchObject({ status: 'ok' });
  });
});
