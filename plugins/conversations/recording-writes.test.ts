/** When a recording writes, over a store that is at hand, and with the clock of the tests. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { Recording } from './recording.ts';
import type { MessageUpdate } from './rows.ts';
import type { ConversationStore } from './store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function record(begun: Promise<void> = Promise.resolve()) {
  const writes: MessageUpdate[] = [];
  const errors: unknown[] = [];
  const state = { fails: false, holding: undefined as Promise<void> | undefined };
  const store = {
    async update(update: MessageUpdate) {
      if (state.fails) throw new Error('away');
      writes.push(update);
      await state.holding;
    },
  } as unknown as ConversationStore;
  const log = { error: (...line: unknown[]) => errors.push(line) } as unknown as Logger;
  const now = () => Date.UTC(2026, 0, 15);
  const recording = new Recording({ store, messageId: 'm1', begin: () => begun, isPatient: false, now, log });
  const texts = () => writes.map(({ state: at, parts }) => [at, JSON.parse(parts)[0]?.text]);
  return { recording, writes, errors, state, texts };
}

it('writes news every half second, and nothing without news', async () => {
  const { recording, writes, texts } = record();
  recording.add({ type: 'text', text: 'a' });
  await vi.advanceTimersByTimeAsync(499);
  expect(writes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes).toEqual([
    {
      id: 'm1',
      state: 'running',
      updated_at: '2026-01-15T00:00:00.000Z',
      parts: '[{"type":"text","text":"a"}]',
      finish: null,
    },
  ]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(writes).toHaveLength(1);
  recording.add({ type: 'text', text: 'b' });
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual([
    ['running', 'a'],
    ['running', 'ab'],
  ]);
  await recording.end('complete');
});

it('writes after ten seconds without news, as a sign of life', async () => {
  const { recording, writes } = record();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(writes).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(writes).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes).toHaveLength(2);
  await recording.end('complete');
});

it('waits for a slow write, and then writes the newest state once', async () => {
  const { recording, state, texts } = record();
  const held = Promise.withResolvers<void>();
  state.holding = held.promise;
  recording.add({ type: 'text', text: 'a' });
  await vi.advanceTimersByTimeAsync(500);
  for (const piece of ['b', 'c', 'd']) {
    recording.add({ type: 'text', text: piece });
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(texts()).toEqual([['running', 'a']]);
  held.resolve();
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual([
    ['running', 'a'],
    ['running', 'abcd'],
  ]);
  await recording.end('complete');
});

it('writes nothing before the conversation is stored, and nothing at all when it is not', async () => {
  const begun = Promise.withResolvers<void>();
  const { recording, writes, errors } = record(begun.promise);
  recording.add({ type: 'text', text: 'a' });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(writes).toEqual([]);
  begun.reject(new Error('away'));
  expect(await recording.begun).toBe(false);
  expect(await recording.end('complete')).toBe(false);
  expect(writes).toEqual([]);
  expect(errors).toEqual([[{ error: 'away' }, 'A conversation could not be stored.']]);
});

it('ends once, with the first state, and stops its timer', async () => {
  const { recording, writes, texts } = record();
  recording.add({ type: 'text', text: 'a' });
  recording.add({ type: 'finish', answer: { outcome: 'answered', notes: [] } } as never);
  expect(await recording.begun).toBe(true);
  expect(await recording.end('interrupted')).toBe(true);
  expect(await recording.end('complete')).toBe(true);
  recording.add({ type: 'text', text: 'b' });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(texts()).toEqual([['interrupted', 'a']]);
  expect(writes[0]?.updated_at).toBe('2026-01-15T00:00:00.000Z');
});

it('logs a failure once until a write succeeds, and tries again at the next interval', async () => {
  const { recording, state, errors, texts } = record();
  state.fails = true;
  recording.add({ type: 'text', text: 'a' });
  await vi.advanceTimersByTimeAsync(2_000);
  const line = [{ error: 'away' }, 'A conversation could not be stored.'];
  expect(errors).toEqual([line]);
  state.fails = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual([['running', 'a']]);
  state.fails = true;
  expect(await recording.end('complete')).toBe(false);
  expect(errors).toEqual([line, line]);
});

it('writes no thoughts of the model, and does not count them as news', async () => {
  const { recording, writes } = record();
  recording.add({ type: 'reasoning', text: 'Perhaps.' } as never);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(writes).toEqual([]);
  await recording.end('complete');
});

it('keeps the rest when an event cannot be kept', async () => {
  const { recording, errors, texts } = record();
  recording.add({ type: 'tool-call', toolCallId: 'c', toolName: 'look', args: { n: 1n } } as never);
  recording.add({ type: 'text', text: 'a' });
  expect(await recording.end('complete')).toBe(true);
  expect(texts()).toEqual([['complete', 'a']]);
  expect(errors).toEqual([
    [{ error: expect.stringContaining('BigInt') }, 'A part of an answer cannot be kept in its conversation.'],
  ]);
});
