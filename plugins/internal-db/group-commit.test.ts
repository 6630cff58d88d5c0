import { expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { unavailable } from './failures.ts';
import { GroupCommit } from './group-commit.ts';

/** Writes nothing but remembers the groups; `refuse` says what is wrong with one. */
function commits(refuse: (items: readonly number[]) => AtlasError | undefined) {
  const groups: (readonly number[])[] = [];
  const group = new GroupCommit<number>(async (items) => {
    groups.push(items);
    const fault = refuse(items);
    if (fault !== undefined) throw fault;
  }, 3);
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
