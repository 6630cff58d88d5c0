import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AtlasError,
  defineEvent,
  definePlugin,
  keyed,
  messagesOf,
  type PluginContext,
  parallel,
  series,
  waterfall,
} from '../../kernel/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';

const plugin = (name: string, setup: (ctx: PluginContext) => void) =>
  definePlugin({ name, version: '1.0.0', type: 'core', description: 'For a test.', setup })();

afterEach(() => void vi.useRealTimers());

const actor = { id: 'ann', label: 'ann', role: 'viewer', mode: 'test', claims: {} } as const;

describe('log lines', () => {
  it('say which plugin, request and actor they are of, without being told', async () => {
    let ctx!: PluginContext;
    await using app = await createTestApp({
      plugins: [
        plugin('writes', (given) => {
          ctx = given;
        }),
      ],
    });
    const scope = app.scope({ requestId: 'r-1' });
    ctx.log.info({ a: 1 }, 'plugin');
    ctx.logOf(scope).warn({ a: 2 }, 'both');
    scope.identify(actor);
    scope.log.error({ a: 3 }, 'request');
    scope.part().log.debug({ a: 4, requestId: 'own' }, 'part');
    expect(app.lines).toEqual([
      { level: 'info', plugin: 'writes', fields: { a: 1 }, message: 'plugin' },
      { level: 'warn', plugin: 'writes', fields: { a: 2, requestId: 'r-1', actorId: null }, message: 'both' },
      { level: 'error', plugin: undefined, fields: { a: 3, requestId: 'r-1', actorId: 'ann' }, message: 'request' },
      { level: 'debug', plugin: undefined, fields: { a: 4, requestId: 'own', actorId: 'ann' }, message: 'part' },
    ]);
  });

  it('tell an error with what caused it, each thing once', () => {
    const cause = new Error('socket hang up');
    expect(messagesOf(new AtlasError('No rows.', { cause }))).toBe('No rows. Cause: socket hang up');
    expect(messagesOf(new AtlasError('Failed: socket hang up', { cause }))).toBe('Failed: socket hang up');
    const circle = new Error('a');
    circle.cause = circle;
    expect(messagesOf(circle)).toBe('a');
  });
});

describe('a part of a scope', () => {
  it('is the same request, ends with it, and does not end it', async () => {
    await using app = await createTestApp({ plugins: [] });
    const scope = app.scope({ requestId: 'r-1', actor, orgId: 'o' });
    const [one, two] = [scope.part(), scope.part()];
    expect([one.requestId, one.actor, one.orgId, one.parent]).toEqual(['r-1', actor, 'o', scope]);
    one.abort(new Error('one'));
    expect([one.signal.aborted, two.signal.aborted, scope.signal.aborted]).toEqual([true, false, false]);
    scope.abort(new Error('all'));
    expect(two.signal.reason).toEqual(new Error('all'));
  });
});

it('the bus says whether anybody listens', async () => {
  const heard = defineEvent<number>('test:heard');
  let ctx!: PluginContext;
  const speaks = plugin('speaks', (given) => {
    ctx = given;
  });
  await using alone = await createTestApp({ plugins: [speaks] });
  expect(ctx.hasListeners(heard)).toBe(false);
  await using together = await createTestApp({
    plugins: [speaks, plugin('hears', (given) => given.on(heard, () => {}))],
  });
  expect([ctx.hasListeners(heard), alone === together]).toEqual([true, false]);
});

describe('hook observers', () => {
  const list = series<number>('test.series', { summary: 'For a test.' });
  const rewrite = waterfall<number>('test.waterfall', { summary: 'For a test.' });
  const watch = parallel<number>('test.parallel', { summary: 'For a test.' });
  const own = keyed<number, number>('test.keyed', { summary: 'For a test.' });

  it('hear of every tap with its time, and change nothing', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const seen: [string, string, number][] = [];
    let finish!: () => void;
    const taps = plugin('taps', (ctx) => {
      ctx.tap(list, () => {
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      });
      ctx.tap(rewrite, (value) => value + 1);
      ctx.tap(watch, async () => Promise.reject(new Error('no')));
      ctx.tapKey(own, 'a', (value) => {
        if (value > 1) throw new AtlasError('Too much.', { code: 'invalid_request' });
        return value;
      });
    });
    const observes = plugin('observes', (ctx) =>
      ctx.observeHooks((hook, name) => (durationMs) => seen.push([hook, name, durationMs])),
    );
    // The observer comes last: hooks are compiled once every plugin is set up.
    await using app = await createTestApp({ plugins: [taps, observes] });
    const scope = app.scope();
    const called = app.call(list, 1, scope);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(250);
    finish();
    expect(await called).toBeUndefined();
    expect(await app.call(rewrite, 1, scope)).toBe(2);
    expect(await app.call(watch, 1, scope)).toMatchObject([{ plugin: 'taps' }]);
    expect(await app.callKey(own, 'a', 1, scope)).toBe(1);
    await expect(app.callKey(own, 'a', 2, scope)).rejects.toThrow('Too much.');
    expect(seen).toEqual([
      ['test.series', 'taps', 250],
      ['test.waterfall', 'taps', 0],
      ['test.parallel', 'taps', 0],
      ['test.keyed', 'taps', 0],
      ['test.keyed', 'taps', 0],
    ]);
  });

  it('run what a tap answers once', async () => {
    let runs = 0;
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: as a builder of statements has one.
      then(resolve: (value: undefined) => void) {
        runs += 1;
        resolve(undefined);
      },
    };
    const taps = plugin('taps', (ctx) => ctx.tap(list, () => lazy as unknown as Promise<void>));
    const observes = plugin('observes', (ctx) => ctx.observeHooks(() => () => {}));
    await using app = await createTestApp({ plugins: [taps, observes] });
    await app.call(list, 1, app.scope());
    expect(runs).toBe(1);
  });

  it('are only taken during setup', async () => {
    let ctx!: PluginContext;
    await using _ = await createTestApp({
      plugins: [
        plugin('late', (given) => {
          ctx = given;
        }),
      ],
    });
    expect(() => ctx.observeHooks(() => () => {})).toThrow(/after its setup/);
  });
});
