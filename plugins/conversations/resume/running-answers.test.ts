import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Logger, Scope } from '../../../kernel/index.ts';
import type { AnswerKeeper, AnswerLine } from '../../query-api/index.ts';
import type { StreamRow } from '../rows.ts';
import { RunningAnswers } from './running-answers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NO_LOG: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Answers over rows that are at hand, with a clock that is moved. */
function watching(limits: { maxUnattended?: number; maxUnattendedPerUser?: number } = {}) {
  const rows = new Map<string, StreamRow>();
  const asked: (readonly string[])[] = [];
  const clock = { now: 0 };
  const running = new RunningAnswers({
    unattendedMs: 60_000,
    maxUnattended: 3,
    maxUnattendedPerUser: 2,
    ...limits,
    store: {
      async streams(ids) {
        asked.push(ids);
        return ids.flatMap((id) => rows.get(id) ?? []);
      },
      async delivered() {},
    },
    now: () => clock.now,
    log: NO_LOG,
  });
  const scope = new Scope({ log: NO_LOG });
  function add(id: string, user = 'ann') {
    const told = { keeper: undefined as AnswerKeeper | undefined, aborted: [] as string[] };
    const line: Pick<AnswerLine, 'keep' | 'abort'> = {
      keep(keeper) {
        told.keeper = keeper;
      },
      abort: (reason) => void told.aborted.push((reason as Error).message),
    };
    rows.set(id, { id, stream: 'open', readings: 0 });
    const actor = { id: user, label: user, role: 'viewer', mode: 'test', claims: {} } as const;
    running.add(id, line as AnswerLine, new Scope({ actor, log: NO_LOG }));
    return { aborted: told.aborted, leave: () => told.keeper?.clientLeft() };
  }
  const pass = async (ms: number) => {
    clock.now += ms;
    await vi.advanceTimersByTimeAsync(500);
  };
  return { running, rows, asked, scope, add, pass };
}

it('an answer ends when nobody has read it for a minute, and not before', async () => {
  const { add, pass, rows } = watching();
  const { leave, aborted } = add('a');
  await pass(120_000);
  expect([leave(), aborted]).toEqual([true, []]);
  await pass(60_000);
  expect(aborted).toEqual([]);
  rows.set('a', { id: 'a', stream: 'open', readings: 1 });
  await pass(1);
  await pass(60_000);
  expect(aborted).toEqual([]);
  await pass(1);
  expect(aborted).toEqual(['Nobody has read the answer for too long.']);
});

it('an answer ends that was stopped, or whose conversation was deleted', async () => {
  const { add, pass, rows } = watching();
  const [stopped, deleted, atOnce] = [add('a'), add('b'), add('c')];
  rows.delete('c');
  await pass(0);
  expect(atOnce.aborted).toEqual(['The answer was stopped.']);
  rows.set('a', { id: 'a', stream: 'stopped', readings: 0 });
  rows.delete('b');
  await pass(0);
  expect([stopped.aborted, deleted.aborted]).toEqual([['The answer was stopped.'], ['The answer was stopped.']]);
});

it('so many go on without their clients, of a user and of all', () => {
  const { add, running } = watching();
  expect(['a', 'b', 'c'].map((id) => add(id).leave())).toEqual([true, true, false]);
  expect(['d', 'e'].map((id) => add(id, 'bob').leave())).toEqual([true, false]);
  running.delete('a');
  expect(add('f').leave()).toBe(true);
});

it('looks only while there is something to look for', async () => {
  const { running, add, pass, asked } = watching();
  await pass(0);
  add('a');
  await pass(0);
  running.delete('a');
  await pass(0);
  expect(asked).toEqual([['a']]);
  expect(vi.getTimerCount()).toBe(0);
});
