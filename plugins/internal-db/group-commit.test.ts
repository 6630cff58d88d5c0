import { expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { unavailable } from './errors.ts';
import { GroupCommit } from './group-commit.ts';

/** Writes nothing but remembers the groups; `refuse` says what is wrong with one. */
function commits(refuse: (items: readonly number[]) => AtlasError | undefined) {
  const groups: (readonly number[])[] = [];
  const group = new GroupCommit<number>(
    async (items) => {
      groups.push(items);
      const fault = refuse(items);
      if (fault !== undefined) throw fault;
    },
    { maxItems: 3 },
  );
  const add = async (...items: number[]) => {
    const settled = await Promise.allSettled(items.map((item) => group.add(item)));
    return settled.map(({ status }) => status === 'fulfilled');
  };
  return { groups, add };
}

it('writes what comes together in one commit, in order and in bounded groups', async () => {
  const { groups, add } = commits(() => undefined);
  expect(await add(1, 2, 3, 4)).toEqual([true, true, true, true]);
  expect(groups).toEqual([[1, 2, 3], [4]]);
  expect(await add(5)).toEqual([true]);
});

it('keeps the others when one cannot be written', async () => {
  const { add } = commits((items) => (items.includes(2) ? new AtlasError('Two is not welcome.') : undefined));
  expect(await add(1, 2, 3, 4)).toEqual([true, false, true, true]);
});

it('does not try a group item by item while the database is away, and goes on when it is back', async () => {
  let isAway = true;
  const { groups, add } = commits(() => (isAway ? unavailable('it is away') : undefined));
  expect(await add(1, 2, 3, 4)).toEqual([false, false, false, false]);
  expect(groups).toEqual([[1, 2, 3], [4]]);
  isAway = false;
  expect(await add(5, 6)).toEqual([true, true]);
});

it('stops to try item by item once the database goes away', async () => {
  const { groups, add } = commits((items) => {
    if (items.length > 1) return new AtlasError('One of them is not welcome.');
    return items[0] === 1 ? undefined : unavailable('it is away');
  });
  expect(await add(1, 2, 3)).toEqual([true, false, false]);
  expect(groups).toEqual([[1, 2, 3], [1], [2]]);
});

it.each([
  ['items', 10_000, () => 1],
  ['bytes', 64, () => 1024 * 1024],
])('does not take more %s than it can hold', async (_, most, bytesOf) => {
  let goOn!: () => void;
  const free = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const group = new GroupCommit<number>(() => free, { maxItems: 1, bytesOf });
  const first = group.add(0);
  await new Promise(setImmediate);
  const many = Promise.all(Array.from({ length: most }, (__, n) => group.add(n)));
  await expect(group.add(0)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  goOn();
  await Promise.all([first, many]);
  await group.add(0);
});

it('writes large items in several commits', async () => {
  const sizes: number[] = [];
  const group = new GroupCommit<number>(async (items) => sizes.push(items.length), { bytesOf: () => 1024 * 1024 });
  await Promise.all(Array.from({ length: 10 }, (_, n) => group.add(n)));
  expect(sizes).toEqual([4, 4, 2]);
});

it('waits for more before a commit when it is told to', async () => {
  const groups: (readonly number[])[] = [];
  let delayMs = 1_000;
  const write = async (items: readonly number[]) => groups.push(items);
  const group = new GroupCommit<number>(write, { delayMs: () => delayMs });
  const first = group.add(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(groups).toEqual([]);
  await Promise.all([first, group.add(2)]);
  expect(groups).toEqual([[1, 2]]);
  delayMs = 0;
  await group.add(3);
  expect(groups).toEqual([[1, 2], [3]]);
});
