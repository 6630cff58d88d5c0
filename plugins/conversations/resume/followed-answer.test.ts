import { expect, it, vi } from 'vitest';
import type { AgentEvent } from '../../agent/index.ts';
import type { FollowedRow } from '../rows.ts';
import { followedAnswer } from './followed-answer.ts';

// Nothing waits here.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const ROW: FollowedRow = {
  id: 'm',
  role: 'assistant',
  state: 'running',
  writer: 'w',
  stream: 'open',
  finish: null,
  updated_at: '2026-01-01T00:00:00.000Z',
  parts: '[{"type":"text","text":"It is "}]',
};
const WHOLE: FollowedRow = { ...ROW, state: 'complete', parts: '[{"type":"text","text":"It is one."}]' };
const away = async () => {
  throw new Error('The database does not answer.');
};

/** Follows rows that are read one after the other; `undefined`: the database is away. */
async function follow(rows: readonly (FollowedRow | undefined)[], noted = async () => {}) {
  const left = [...rows];
  const streams = { followed: async () => left.shift() ?? away(), read: noted, delivered: noted };
  const { signal } = new AbortController();
  const conversations = { isWritten: () => true };
  const said: string[] = [];
  for await (const event of followedAnswer({ streams, conversations, conversationId: 'c', messageId: 'm', signal })) {
    said.push(wordsOf(event));
  }
  return said;
}

const wordsOf = (event: AgentEvent) => (event.type === 'text' ? event.text : event.type);

it('a database that is away for a moment ends no stream', async () => {
  const gap = Array.from({ length: 20 }, () => undefined);
  expect(await follow([...gap, ROW, ...gap, ...gap.slice(1), WHOLE])).toEqual(['start', 'It is ', 'one.', 'finish']);
});

it('one that stays away does', async () => {
  await expect(follow([ROW])).rejects.toThrow('The database does not answer.');
});

it('an answer is delivered whole though nothing can be noted of it', async () => {
  expect(await follow([ROW, WHOLE], away)).toEqual(['start', 'It is ', 'one.', 'finish']);
});
