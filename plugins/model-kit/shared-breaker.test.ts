import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Attempts, localLimits } from '../shared-limits/index.ts';
import { SharedBreaker } from './shared-breaker.ts';

const OPTIONS = { failures: 3, openMs: 10_000 };

/** Two servers over one store. */
function servers() {
  const clock = { ms: 0 };
  const local = localLimits(() => clock.ms).attempts('breakers');
  const store = { delayMs: 0 };
  const attempts: Attempts = {
    ...{ undo: (keys) => local.undo(keys), forget: (key) => local.forget(key) },
    remember: (name, forMs) => local.remember(name, forMs),
    async count(...counted) {
      if (store.delayMs > 0) await sleep(store.delayMs);
      return local.count(...counted);
    },
  };
  const [one, two] = [0, 1].map(() => new SharedBreaker(attempts, 'model', OPTIONS, () => clock.ms));
  const pass = (ms: number) => {
    clock.ms += ms;
  };
  return { one: one!, two: two!, pass, store };
}

type Outcome = Parameters<Awaited<ReturnType<SharedBreaker['admit']>>['settle']>[0];

/** Makes a call with this outcome unless it is refused: how long to wait. */
async function call(breaker: SharedBreaker, outcome: Outcome): Promise<number> {
  const { waitMs, settle } = await breaker.admit();
  if (waitMs === 0) settle(outcome);
  // The store has taken it over.
  await new Promise(setImmediate);
  return waitMs;
}

const calls = async (breaker: SharedBreaker, outcomes: readonly Outcome[]) => {
  for (const outcome of outcomes) expect(await call(breaker, outcome)).toBe(0);
};

it('a provider that refuses the calls of one server is left alone by all until the same time', async () => {
  const { one, two, pass } = servers();
  await calls(two, ['answered']);
  await calls(one, ['refused', 'refused', 'refused']);
  expect([one.isOpen, two.isOpen]).toEqual([true, false]);
  // What a server knows is half a second old at most.
  await calls(two, ['answered']);
  pass(500);
  expect([await call(one, 'answered'), await call(two, 'answered')]).toEqual([9_500, 9_500]);
  pass(9_499);
  expect([await call(two, 'answered'), await call(one, 'answered')]).toEqual([1, 1]);
  expect(two.isOpen).toBe(true);
});

it('then one call of one server is tried, and all wait for its outcome', async () => {
  const { one, two, pass } = servers();
  await calls(one, ['refused', 'refused', 'refused']);
  pass(10_000);
  const tried = await Promise.all([one, two, two, one].map((server) => server.admit()));
  expect(tried.map(({ waitMs }) => waitMs).toSorted()).toEqual([0, 10_000, 10_000, 10_000]);
  for (const { waitMs, settle } of tried) if (waitMs === 0) settle('refused');
  pass(9_999);
  expect([await call(one, 'answered'), await call(two, 'answered')]).toEqual([1, 1]);
  pass(1);
  expect(await call(two, 'answered')).toBe(0);
  // Closed for both, and the failures of before are forgotten.
  pass(500);
  await calls(one, ['refused', 'refused']);
  await calls(two, ['answered']);
});

it('a server that cannot reach the provider lets another one try', async () => {
  const { one, two, pass } = servers();
  await calls(one, ['refused', 'refused', 'refused']);
  pass(10_000);
  expect(await call(one, 'unknown')).toBe(0);
  expect(await call(two, 'answered')).toBe(0);
});

it('nothing but refusals in a row opens it', async () => {
  const { one, two } = servers();
  await calls(one, ['unknown', 'unknown', 'unknown', 'refused', 'refused', 'answered', 'refused', 'refused']);
  await calls(two, ['answered']);
});

it('a store that does not answer holds up no call', async () => {
  const store = { count: () => new Promise(() => {}) };
  await calls(new SharedBreaker(store as never, 'model', OPTIONS), ['answered', 'answered']);
});

it('a store that is slow keeps nobody from asking again, once a call is answered', async () => {
  const { one, two, pass, store } = servers();
  await calls(one, ['refused', 'refused', 'refused']);
  pass(10_000);
  store.delayMs = 300;
  await calls(one, ['answered']);
  await sleep(1_000);
  store.delayMs = 0;
  pass(500);
  await calls(one, ['answered']);
  await calls(two, ['answered', 'answered']);
});
