import { describe, expect, it } from 'vitest';
import { byPlugin, collect, first, keyed, parallel, series, waterfall } from '../../kernel/hooks/kinds.ts';
import { HookRegistry } from '../../kernel/hooks/registry.ts';
import { testScope } from '../harness/create-test-app.ts';

const info = { summary: 'For tests.' };
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function registry() {
  return new HookRegistry([]);
}

function sealed(build: (hooks: HookRegistry) => void) {
  const hooks = registry();
  build(hooks);
  expect(hooks.seal(() => undefined)).toEqual([]);
  return hooks;
}

describe('first', () => {
  const hook = first<string, string>('test.first', info);

  it('takes the first answer and asks no other tap, sync or async', async () => {
    const asked: string[] = [];
    const hooks = sealed((h) => {
      h.tap('a', hook, () => void asked.push('a') as undefined, {});
      h.tap('b', hook, async () => void asked.push('b') as undefined, {});
      h.tap('c', hook, (text) => `c ${text}`, {});
      h.tap('d', hook, () => void asked.push('d') as undefined, {});
    });
    expect(await hooks.call(hook, 'x', testScope())).toBe('c x');
    expect(asked).toEqual(['a', 'b']);
  });

  it('stops at an error and never falls through to the next tap', async () => {
    const hooks = sealed((h) => {
      h.tap('strict', hook, async () => Promise.reject(new Error('token expired')), {});
      h.tap('lenient', hook, () => 'anybody', {});
    });
    await expect(hooks.call(hook, 'x', testScope())).rejects.toMatchObject({ plugin: 'strict', hook: 'test.first' });
  });

  it('answers undefined when no tap does', async () => {
    expect(sealed(() => {}).call(hook, 'x', testScope())).toBeUndefined();
  });
});

describe('waterfall', () => {
  const hook = waterfall<readonly string[]>('test.waterfall', info);

  it('hands each result on and keeps the payload where a tap returns nothing', async () => {
    const hooks = sealed((h) => {
      h.tap('a', hook, (list) => [...list, 'a'], {});
      h.tap('b', hook, async () => {}, {});
      h.tap('c', hook, async (list) => [...list, 'c'], {});
      h.tap('d', hook, (list) => [...list, 'd'], {});
    });
    expect(await hooks.call(hook, [], testScope())).toEqual(['a', 'c', 'd']);
  });

  it('gives the payload back without taps', () => {
    const payload = ['x'];
    expect(sealed(() => {}).call(hook, payload, testScope())).toBe(payload);
  });
});

describe('series', () => {
  const hook = series<string>('test.series', info);

  it.each([
    [
      'sync',
      () => {
        throw new Error('no');
      },
    ],
    [
      'async',
      async () => {
        await sleep(1);
        throw new Error('no');
      },
    ],
  ])('a %s throw is a veto: later taps do not run', async (_, veto) => {
    let ran = false;
    const hooks = sealed((h) => {
      h.tap('guard', hook, veto, {});
      h.tap(
        'later',
        hook,
        () => {
          ran = true;
        },
        {},
      );
    });
    const call = async () => hooks.call(hook, 'x', testScope());
    await expect(call()).rejects.toThrow('Plugin "guard" failed in hook "test.series": no');
    expect(ran).toBe(false);
  });
});

describe('parallel', () => {
  const hook = parallel<string>('test.parallel', { ...info, deadlineMs: 100 });

  it('runs every tap, gathers failures and does not abort the scope when one hangs', async () => {
    const ran: string[] = [];
    const hooks = sealed((h) => {
      h.tap(
        'throws',
        hook,
        () => {
          throw new Error('disk full');
        },
        {},
      );
      h.tap('rejects', hook, async () => Promise.reject(new Error('gone')), {});
      h.tap('hangs', hook, () => new Promise<void>(() => {}), {});
      h.tap('works', hook, async () => void ran.push('works'), {});
    });
    const scope = testScope();
    const failures = await hooks.call(hook, 'x', scope);
    expect(failures.map(({ plugin }) => plugin).sort()).toEqual(['hangs', 'rejects', 'throws']);
    expect(ran).toEqual(['works']);
    expect(scope.signal.aborted).toBe(false);
  });
});

describe('collect', () => {
  const hook = collect<undefined, number>('test.collect', info);

  it('gives all items in tap order, each with its plugin', async () => {
    const hooks = sealed((h) => {
      h.tap('a', hook, async () => [1, 2], {});
      h.tap('b', hook, () => [], {});
      h.tap('c', hook, () => [3], {});
    });
    expect(await hooks.call(hook, undefined, testScope())).toEqual([
      { plugin: 'a', value: 1 },
      { plugin: 'a', value: 2 },
      { plugin: 'c', value: 3 },
    ]);
  });

  it('replaces a failed tap by its stand-in where the hook has one', async () => {
    const tolerant = collect<undefined, string>('test.tolerant', {
      ...info,
      failedItem: (plugin) => `${plugin} failed`,
    });
    const hooks = sealed((h) => {
      h.tap(
        'a',
        tolerant,
        () => {
          throw new Error('x');
        },
        {},
      );
      h.tap('b', tolerant, async () => Promise.reject(new Error('y')), {});
      h.tap('c', tolerant, () => ['c'], {});
    });
    expect((await hooks.call(tolerant, undefined, testScope())).map(({ value }) => value)).toEqual([
      'a failed',
      'b failed',
      'c',
    ]);
  });
});

describe('collect with a stand-in', () => {
  it('runs the taps at once, so that one that hangs costs only its own items', async () => {
    const hook = collect<undefined, string>('test.isolated', {
      ...info,
      deadlineMs: 150,
      failedItem: (plugin) => `${plugin} late`,
    });
    const hooks = sealed((h) => {
      h.tap('hangs', hook, () => new Promise<string[]>(() => {}), {});
      h.tap('works', hook, async () => ['works'], {});
    });
    const scope = testScope();
    expect((await hooks.call(hook, undefined, scope)).map(({ value }) => value)).toEqual(['hangs late', 'works']);
    expect(scope.signal.aborted).toBe(false);
  });
});

it('calls the tap of one plugin alone', async () => {
  const hook = collect<string, string>('test.alone', {
    ...info,
    deadlineMs: 60,
    failedItem: (name, { message }) => `${name}: ${message}`,
  });
  const asked: string[] = [];
  const hooks = sealed((h) => {
    h.tap('a', hook, (text) => [`a ${text}`, 'more'], {});
    h.tap('b', hook, () => void asked.push('b') as never, {});
    h.tap('c', hook, () => new Promise(() => {}), {});
  });
  const call = async (plugin: string) => hooks.callOpenKey(byPlugin(hook), plugin, 'x', testScope());
  expect(await call('a')).toEqual([
    { plugin: 'a', value: 'a x' },
    { plugin: 'a', value: 'more' },
  ]);
  expect(asked).toEqual([]);
  expect(await call('c')).toEqual([{ plugin: 'c', value: expect.stringMatching(/^c: .*within 60 ms/) }]);
  await expect(call('d')).rejects.toThrow(/"d".*known: a, b, c/);
});

describe('keyed', () => {
  const hook = keyed<string, string>('test.keyed', info);

  it('asks the owner of the key, and lists the known keys for an unknown one', async () => {
    const hooks = sealed((h) => {
      h.tap('a', hook, (text) => `a ${text}`, { key: 'one' });
      h.tap('b', hook, async (text) => `b ${text}`, { key: 'two' });
    });
    expect(await hooks.callKey(hook, 'two', 'x', testScope())).toBe('b x');
    expect(() => hooks.callKey(hook, 'three', 'x', testScope())).toThrow(/"three".*known: one, two/);
  });

  it('refuses a second owner and names both', () => {
    const hooks = registry();
    hooks.tap('a', hook, () => '', { key: 'one' });
    expect(() => hooks.tap('b', hook, () => '', { key: 'one' })).toThrow(/"b" taps .* for "one", which is "a"'s/);
  });
});

describe('keyed, after the start', () => {
  const hook = keyed<string, string>('test.late', info);
  const gateOfLate = { ...info, gateOf: 'test.late' };

  it('takes a key without an owner, names it to nobody, and gives it free again', async () => {
    const hooks = sealed((h) => h.tap('a', hook, () => 'a', { key: 'one' }));
    const untap = hooks.tap('b', hook, (text) => `b ${text}`, { key: 'late' });
    expect(await hooks.callKey(hook, 'late', 'x', testScope())).toBe('b x');
    expect(() => hooks.tap('c', hook, () => '', { key: 'late' })).toThrow(/which is "b"'s/);
    expect(() => hooks.tap('b', hook, () => '', { key: 'one' })).toThrow(/which is "a"'s/);
    expect(hooks.describe()[0]?.taps).toEqual([{ plugin: 'a', key: 'one' }]);
    expect(() => hooks.callKey(hook, 'other', 'x', testScope())).toThrow(/known: one\./);
    untap();
    expect(() => hooks.callKey(hook, 'late', 'x', testScope())).toThrow(/Nothing answers "late"/);
    hooks.tap('c', hook, () => 'c', { key: 'late' });
    untap();
    expect(await hooks.callKey(hook, 'late', 'x', testScope())).toBe('c');
  });

  it('is watched, and refuses once its plugin has failed', async () => {
    const seen: string[] = [];
    const hooks = sealed((h) => h.observe((id, plugin) => () => void seen.push(`${id} ${plugin}`)));
    const untap = hooks.tap('b', hook, () => 'b', { key: 'late' });
    await hooks.callKey(hook, 'late', 'x', testScope());
    expect(seen).toEqual(['test.late b']);
    hooks.fail('b', new Error('broken'));
    expect(() => hooks.callKey(hook, 'late', 'x', testScope())).toThrow(/"b" has failed: broken/);
    untap();
    expect(() => hooks.callKey(hook, 'late', 'x', testScope())).toThrow(/Nothing answers/);
  });

  it('opens no way around a gate that had nothing to guard at the start', () => {
    const gate = series<string>('test.gate-of-late', { ...gateOfLate, sealed: true });
    const unguarded = new HookRegistry([gate]);
    expect(unguarded.seal(() => undefined)).toEqual([]);
    expect(() => unguarded.tap('b', hook, () => '', { key: 'late' })).toThrow(/without what must guard it/);
    const guarded = new HookRegistry([gate]);
    guarded.tap('guard', gate, () => {}, { order: { seals: true } });
    expect(guarded.seal(() => undefined)).toEqual([]);
    guarded.tap('b', hook, () => '', { key: 'late' });
  });
});

describe('registering', () => {
  const hook = series<string>('test.register', info);

  it('refuses the same plugin twice, a tap after the seal, and a key in the wrong place', () => {
    const hooks = registry();
    hooks.tap('a', hook, () => {}, {});
    expect(() => hooks.tap('a', hook, () => {}, {})).toThrow(/"a" taps hook "test.register" twice/);
    expect(() => hooks.tap('b', hook, () => {}, { key: 'k' })).toThrow(/takes no key/);
    hooks.seal(() => undefined);
    expect(() => hooks.tap('c', hook, () => {}, {})).toThrow(/after the start/);
  });

  it('orders by stage, then boot order, bent by before and after', () => {
    const hooks = registry();
    hooks.tap('late', hook, () => {}, { order: { stage: 'post' } });
    hooks.tap('a', hook, () => {}, { order: { after: ['b'] } });
    hooks.tap('b', hook, () => {}, {});
    hooks.tap('early', hook, () => {}, { order: { stage: 'pre' } });
    hooks.tap('c', hook, () => {}, { order: { before: ['b'] } });
    hooks.seal(() => undefined);
    expect(hooks.describe()[0]?.taps.map(({ plugin }) => plugin)).toEqual(['early', 'c', 'b', 'a', 'late']);
  });

  it('reports an order that contradicts itself', () => {
    const hooks = registry();
    hooks.tap('a', hook, () => {}, { order: { before: ['b'] } });
    hooks.tap('b', hook, () => {}, { order: { before: ['a'] } });
    expect(hooks.seal(() => undefined)[0]?.message).toMatch(/contradicts itself among: a, b/);
  });
});

describe('deadlines', () => {
  const gate = series<string>('test.gate', { ...info, deadlineMs: 100 });

  it('a tap that hangs is named, the dispatch rejects and the scope aborts', async () => {
    const hooks = sealed((h) => {
      h.tap('quick', gate, async () => {}, {});
      h.tap('stuck', gate, () => new Promise<void>(() => {}), {});
    });
    const scope = testScope();
    await expect(hooks.call(gate, 'x', scope)).rejects.toMatchObject({ plugin: 'stuck', reason: 'E_HOOK_TIMEOUT' });
    expect(scope.signal.aborted).toBe(true);
  });

  it('a tap that answers after the deadline changes nothing any more', async () => {
    let later = false;
    const hooks = sealed((h) => {
      h.tap('slow', gate, async () => void (await sleep(250)), {});
      h.tap(
        'next',
        gate,
        () => {
          later = true;
        },
        {},
      );
    });
    await expect(hooks.call(gate, 'x', testScope())).rejects.toThrow(/"slow" did not finish/);
    await sleep(250);
    expect(later).toBe(false);
  });

  it('a thousand waits at once all settle', async () => {
    const hooks = sealed((h) => h.tap('a', gate, () => sleep(20) as Promise<void>, {}));
    await Promise.all(Array.from({ length: 1000 }, () => hooks.call(gate, 'x', testScope())));
  });
});

it('a plugin that failed at run time refuses in its gates', async () => {
  const hook = series<string>('test.failing', info);
  const hooks = sealed((h) => h.tap('a', hook, () => {}, {}));
  hooks.fail('a', new Error('lost its database'));
  expect(() => hooks.call(hook, 'x', testScope())).toThrow(/"a" has failed: lost its database/);
});
