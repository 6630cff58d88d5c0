import { describe, expect, it, vi } from 'vitest';
import {
  actionExecute,
  actionReview,
  appReady,
  createApp,
  datasourceExecute,
  datasourceList,
  definePlugin,
  httpRoutes,
  optional,
  override,
  type PluginEntry,
  type SqlOutcome,
  type SqlStatement,
  sqlAfter,
  sqlBefore,
  sqlCheck,
  sqlSettled,
} from '../../kernel/index.ts';
import * as bad from '../fixtures/bad-plugins/plugins.ts';
import { createTestApp } from '../harness/create-test-app.ts';

const base = { version: '1.0.0', type: 'core', description: 'For tests.' } as const;

function plugin(name: string, setup: Parameters<typeof definePlugin>[0]['setup'] = () => {}): PluginEntry {
  return definePlugin({ ...base, name, setup })();
}

async function messageOfBoot(...plugins: PluginEntry[]): Promise<string> {
  return createApp({ plugins }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
}

describe('starting', () => {
  it('reports every problem at once, each with its plugin and what to do', async () => {
    const message = await messageOfBoot(
      bad.lacksNeed(),
      bad.hasOptions({ channels: [{ id: 7 }], chanels: 1 } as never),
      plugin('twin'),
      plugin('twin'),
    );
    expect(message).toContain('lacks-need: needs the plugin "absent-service"');
    expect(message).toContain('Add absentService() to the plugins in atlas.config.ts.');
    expect(message).toContain('has-options: option "channels.0.id": expected string');
    expect(message).toContain('option "chanels": unexpected property; did you mean `channels`?');
    expect(message).toContain('twin: is listed twice.');
    expect(message.split('\n')).toHaveLength(5);
  });

  it.each([
    ['throws', bad.throwsInSetup(), 'Plugin "throws-in-setup" failed in setup: the licence file is missing'],
    ['hangs', bad.hangsInSetup(), 'Plugin "hangs-in-setup" did not finish setup within 50 ms.'],
    ['taps twice', bad.tapsTwice(), 'Plugin "taps-twice" taps hook "sql.check" twice'],
    ['taps late', bad.tapsLate(), 'Plugin "taps-late" calls tap after its setup'],
  ])('a plugin that %s is named in one message', async (_, entry, expected) => {
    const message = await messageOfBoot(entry);
    expect(message).toContain(expected);
    expect(message).not.toMatch(/\n {4}at /);
  });

  it('shows a cycle as a path', async () => {
    const a: { pluginName: string } = { pluginName: 'a' };
    const b = definePlugin({ ...base, name: 'b', needs: { a }, setup: () => {} });
    const real = definePlugin({ ...base, name: 'a', needs: { b }, setup: () => {} });
    expect(await messageOfBoot(real(), b())).toContain('needs itself: a -> b -> a.');
  });

  it('sets up needs first and otherwise keeps the order of the configuration', async () => {
    const order: string[] = [];
    const make = (name: string, needs: Record<string, { pluginName: string }> = {}) =>
      definePlugin({ ...base, name, needs, setup: () => void order.push(name) });
    const c = make('c');
    const a = make('a', { c });
    await using _app = await createTestApp({ plugins: [make('x')(), a(), make('y')(), c()] });
    expect(order).toEqual(['x', 'c', 'a', 'y']);
  });

  it('closes in reverse what was set up before a failure', async () => {
    const closed: string[] = [];
    const closing = (name: string) => plugin(name, (ctx) => ctx.onClose(() => void closed.push(name)));
    await messageOfBoot(closing('one'), closing('two'), bad.throwsInSetup(), closing('never'));
    expect(closed).toEqual(['two', 'one']);
  });

  it('a gate without a tap stops the start, with the plugin to add', async () => {
    const serving = plugin('routes', (ctx) => ctx.tap(httpRoutes, () => []));
    const booted = createApp({ plugins: [serving] }, { gatePlugins: { 'auth.resolve': 'authNone()' } });
    await expect(booted).rejects.toThrow(/No plugin guards "auth.resolve".*Add authNone\(\)/);
  });

  it('a gate to seal stops the start while its taps only look on, with the plugin to add', async () => {
    const plugins = [
      plugin('db', (ctx) => ctx.tapKey(datasourceExecute, 'default', () => Promise.reject(new Error('unguarded')))),
      plugin('filter', (ctx) => ctx.tap(sqlAfter, () => {})),
      plugin('logging', (ctx) => ctx.tap(sqlCheck, ({ sql }) => ctx.log.info({}, sql))),
    ];
    const start = (gatePlugins = {}) => createApp({ plugins }, { gatePlugins });
    await expect(start({ 'sql.check': 'sqlGuard()' })).rejects.toThrow(
      /No plugin seals "sql.check", which "datasource.execute" needs.*Add sqlGuard\(\)/,
    );
    await expect(start()).rejects.toThrow('Add a plugin that taps it with "seals: true"');
    const sealing = plugin('guard', (ctx) => ctx.tap(sqlCheck, () => {}, { seals: true }));
    await using _app = await createApp({ plugins: [...plugins, sealing] });
  });

  it('gives needs their typed API, optional ones only when present, and overrides in place of the plugin', async () => {
    const clock = definePlugin({ ...base, name: 'clock', setup: () => ({ time: (): string => 'real' }) });
    const asks = definePlugin({
      ...base,
      name: 'asks',
      needs: { clock, missing: optional(definePlugin({ ...base, name: 'missing', setup: () => ({ x: 1 }) })) },
      setup: (_ctx, _options, needs) => ({ answer: () => `${needs.clock.time()} ${needs.missing?.x}` }),
    });
    await using real = await createTestApp({ plugins: [asks(), clock()] });
    expect(real.get(asks).answer()).toBe('real undefined');
    await using faked = await createTestApp({
      plugins: [asks(), clock()],
      overrides: [override(clock, { time: () => 'fake' })],
    });
    expect(faked.get(asks).answer()).toBe('fake undefined');
  });

  it('fills option defaults deep down', async () => {
    await using app = await createTestApp({ plugins: [bad.hasOptions({ channels: [{ id: 'a' }] })] });
    expect(app.get(bad.hasOptions).channels).toEqual([{ id: 'a', retries: 3 }]);
  });

  it('tells the bus when it is ready, and a listener that throws only reaches the log', async () => {
    let bootMs = -1;
    const listens = plugin('listens', (ctx) => {
      ctx.on(appReady, () => {
        throw new Error('bad listener');
      });
      ctx.on(appReady, (event) => {
        bootMs = event.bootMs;
      });
    });
    await using app = await createTestApp({ plugins: [listens] });
    expect(bootMs).toBeGreaterThan(0);
    expect(app.lines).toContainEqual(expect.objectContaining({ message: 'An event listener failed.' }));
  });
});

it('does not announce that it is ready when it is only described', async () => {
  let wasTold = false;
  const listens = plugin('listens', (ctx) => {
    ctx.on(appReady, () => {
      wasTold = true;
    });
  });
  await using _app = await createApp({ plugins: [listens] }, { until: 'sealed' });
  expect(wasTold).toBe(false);
});

describe('closing', () => {
  it('drains all before it closes any, in reverse, and gathers errors', async () => {
    const moments: string[] = [];
    const make = (name: string) =>
      plugin(name, (ctx) => {
        ctx.onDrain(() => void moments.push(`drain ${name}`));
        ctx.onClose(() => void moments.push(`close ${name}`));
      });
    const app = await createTestApp({ plugins: [make('a'), bad.closesBadly(), bad.hangsInClose(), make('b')] });
    await expect(app.close()).rejects.toThrow(
      /"hangs-in-close" did not finish onClose within 50 ms.*"closes-badly" failed in onClose: the socket was gone/,
    );
    expect(moments).toEqual(['drain b', 'drain a', 'close b', 'close a']);
  });
});

const connection = { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:x' } as const;

/** A composition around a database that is a function. */
function sqlApp(parts: {
  execute?: () => Promise<never> | unknown;
  check?: (statement: SqlStatement) => void;
  after?: () => void;
  outcomes: SqlOutcome[];
}) {
  return createTestApp({
    openGates: false,
    drainMs: 100,
    plugins: [
      plugin('db', (ctx) => {
        ctx.tap(datasourceList, () => [connection]);
        ctx.tapKey(datasourceExecute, 'default', async () => {
          await parts.execute?.();
          return { columns: ['n'], rows: [{ n: 1 }], truncated: false, notes: [] };
        });
      }),
      plugin('limits', (ctx) => ctx.tap(sqlBefore, (statement) => ({ ...statement, sql: `${statement.sql} LIMIT 1` }))),
      plugin('guard', (ctx) => {
        ctx.tap(sqlCheck, (statement) => parts.check?.(statement), { seals: true });
        ctx.tap(sqlAfter, () => parts.after?.());
      }),
      plugin('observer', (ctx) => {
        ctx.tap(sqlSettled, (outcome) => {
          parts.outcomes.push(outcome);
          throw new Error('observers may fail');
        });
      }),
    ],
  });
}

describe('the SQL pipeline', () => {
  const request = { sql: 'SELECT 1', surface: 'api' };

  it('runs the hooks in order and tells the observers once', async () => {
    const outcomes: SqlOutcome[] = [];
    await using app = await sqlApp({ outcomes });
    const reply = await app.runSql(request, app.scope());
    expect(reply.statement).toMatchObject({ requested: 'SELECT 1', sql: 'SELECT 1 LIMIT 1' });
    expect(reply.result.rows).toEqual([{ n: 1 }]);
    expect(outcomes).toMatchObject([{ status: 'succeeded', rowCount: 1 }]);
  });

  it.each([
    ['check', 'refused'],
    ['execute', 'failed'],
    ['after', 'failed'],
  ] as const)('a throw in %s ends as %s: no rows, one outcome', async (part, status) => {
    const outcomes: SqlOutcome[] = [];
    const boom = () => {
      throw new Error('boom');
    };
    await using app = await sqlApp({ outcomes, [part]: boom });
    await expect(app.runSql(request, app.scope())).rejects.toThrow('boom');
    expect(outcomes).toMatchObject([{ status, rowCount: 0 }]);
  });

  it('a statement cannot be altered between the check and the database', async () => {
    for (const alter of [
      (statement: { sql: string }) => {
        statement.sql = 'SELECT 2';
      },
      (statement: { params: unknown[] }) => statement.params.push(2),
    ]) {
      const outcomes: SqlOutcome[] = [];
      const execute = vi.fn();
      await using app = await sqlApp({ outcomes, execute, check: alter as never });
      await expect(app.runSql(request, app.scope())).rejects.toThrow(/read only|not extensible/);
      expect(outcomes).toMatchObject([{ status: 'refused' }]);
      expect(execute).not.toHaveBeenCalled();
    }
  });

  it('no plugin reaches a database or an action past the gates', async () => {
    const calls = plugin('caller', (ctx) => {
      const statement = { connection, requested: 'x', sql: 'x', params: [], surface: 'api', tables: [] };
      const action = { id: '1', type: 'email', target: 'a@b.c', summary: 'Send it', payload: {} };
      expect(() => ctx.callKey(datasourceExecute, 'default', statement, ctx.scope())).toThrow(
        'use runSql or runAction',
      );
      expect(() => ctx.callKey(actionExecute, 'email', action, ctx.scope())).toThrow('use runSql or runAction');
    });
    await using _app = await createTestApp({ plugins: [calls] });
  });

  it('an aborted request counts as cancelled', async () => {
    const outcomes: SqlOutcome[] = [];
    await using app = await sqlApp({ outcomes });
    const scope = app.scope();
    scope.abort(new Error('the client left'));
    await expect(app.runSql(request, scope)).rejects.toThrow('the client left');
    expect(outcomes).toMatchObject([{ status: 'cancelled' }]);
  });

  it('an unknown connection lists the known ones, no connection at all is no_datasource', async () => {
    const outcomes: SqlOutcome[] = [];
    await using app = await sqlApp({ outcomes });
    await expect(app.runSql({ ...request, connectionId: 'lake' }, app.scope())).rejects.toThrow(
      /"lake"; known: default/,
    );
    expect(outcomes).toMatchObject([{ status: 'refused', statement: undefined }]);
    await using empty = await createTestApp({ plugins: [] });
    await expect(empty.runSql(request, empty.scope())).rejects.toMatchObject({ code: 'no_datasource' });
  });

  it('close waits for running work within its bound and names what still ran', async () => {
    const app = await sqlApp({ outcomes: [], execute: () => new Promise(() => {}) });
    void app.runSql(request, app.scope({ requestId: 'req-1' })).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    await expect(app.close()).rejects.toThrow('Closed although this still ran: SQL of request req-1.');
  });
});

describe('the action pipeline', () => {
  const request = { id: '1', type: 'email', target: 'a@b.c', summary: 'Send it', payload: {} };
  const make = (decision?: 'run' | 'deny') =>
    createTestApp({
      plugins: [
        plugin('email', (ctx) => {
          ctx.tapKey(actionExecute, 'email', async () => ({ messageId: 'm1' }));
          ctx.tapKey(actionExecute, 'broken', async () => Promise.reject(new Error('smtp down')));
          ctx.tap(actionReview, () => (decision === undefined ? undefined : { decision }));
        }),
      ],
    });

  it('without an answer of the review it waits for approval; approved, it runs', async () => {
    await using app = await make();
    expect(await app.runAction(request, app.scope())).toMatchObject({ status: 'pending' });
    expect(await app.runAction(request, app.scope(), { approved: true })).toMatchObject({
      status: 'executed',
      result: { messageId: 'm1' },
    });
  });

  it('runs, denies and fails as the review and the handler say', async () => {
    await using runs = await make('run');
    expect(await runs.runAction(request, runs.scope())).toMatchObject({ status: 'executed' });
    expect(await runs.runAction({ ...request, type: 'broken' }, runs.scope())).toMatchObject({ status: 'failed' });
    await using denies = await make('deny');
    expect(await denies.runAction(request, denies.scope())).toMatchObject({ status: 'denied' });
  });
});
