import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** Work that ends when it is told to, in the order in which it was begun. */
function setUp(atOnce: number, mostWaiting: number) {
  const queue = new FairQueue({ atOnce, mostWaiting });
  const begun: string[] = [];
  const endings: (() => void)[] = [];
  const ask = (name: string, signal?: AbortSignal) => {
    const work = () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        endings.push(() => resolve(name));
      });
    const done = queue.run(name.charAt(0), work, signal);
    return done.catch((error: { code?: string; message: string }) => error.code ?? error.message);
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endAll = async () => {
    for (let ending = endings.shift(); ending !== undefined; ending = endings.shift()) {
      ending();
      await settle();
    }
  };
  return { ask, begun, endAll };
}

it('gives each key its turn, however many requests another key has', async () => {
  const { ask, begun, endAll } = setUp(1, 10);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name));
  await endAll();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

it('takes a place from the key with the most waiting, and refuses the key that would have the most', async () => {
  const { ask, begun, endAll } = setUp(2, 4);
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'b2', 'b3', 'c1'].map((name) => ask(name));
  await endAll();
  const out = 'overloaded';
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', out, out, out, out, 'b1', 'b2', out, 'c1']);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
});

it('skips requests that were cancelled, and goes on after a failure', async () => {
  const { ask, begun, endAll } = setUp(1, 4);
  const left = new AbortController();
  const all = [ask('a1'), ask('a2', left.signal), ask('b1')];
  left.abort(new Error('left'));
  await endAll();
  expect([await Promise.all(all), begun]).toEqual([
    ['a1', 'left', 'b1'],
    ['a1', 'b1'],
  ]);
  const queue = new FairQueue({ atOnce: 1, mostWaiting: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await queue.run('a', async () => 'done')).toBe('done');
});

it('takes the place from the longest queue, and only for one that stays shorter', async () => {
  const { ask, begun, endAll } = setUp(1, 3);
  const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'c2'].map((name) => ask(name));
  await endAll();
  // b2 gives its place to c1; then all queues have one, and no other gets a second.
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'overloaded', 'c1', 'overloaded', 'overloaded']);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

it('refuses a key that would be as long as the longest', async () => {
  const { ask, endAll } = setUp(1, 3);
  const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => ask(name));
  await endAll();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'overloaded']);
});

it('has all its places again after refusals, cancellations and failures', async () => {
  const { ask, endAll } = setUp(1, 2);
  for (let round = 0; round < 4; round += 1) {
    const left = new AbortController();
    const all = [ask('a1'), ask('a2', left.signal), ask('a3'), ask('b1')];
    left.abort(new Error('left'));
    await endAll();
    expect(await Promise.all(all)).toEqual(['a1', 'left', 'overloaded', 'b1']);
  }
});

it('says when to come back', async () => {
  const queue = new FairQueue({ atOnce: 1, mostWaiting: 1 });
  const held = Promise.withResolvers<string>();
  const all = [queue.run('a', () => held.promise), queue.run('b', async () => 'b')];
  await expect(queue.run('c', async () => 'c')).rejects.toMatchObject({
    code: 'overloaded',
    message: 'Too many people sign in or sign up right now.',
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  });
  held.resolve('a');
  expect(await Promise.all(all)).toEqual(['a', 'b']);
});
