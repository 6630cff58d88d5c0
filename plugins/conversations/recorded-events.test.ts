/** The events of a recorded agent, over a conversation that is at hand. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AtlasError, type Question } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import type { AgentEvent, Ask } from '../agent/index.ts';
import type { OpenConversation } from './conversations.ts';
import { recordedAgent } from './recorded-agent.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ plugins: [] });
});
afterAll(() => app.close());

const TEXT: AgentEvent = { type: 'text', text: 'Three.' };
const FINISH = { type: 'finish', answer: { text: 'Three.', sql: [] } } as unknown as AgentEvent;
const ASKED: Question = { surface: 'mcp', turns: [{ role: 'user', text: 'How many?' }] };
const never = new Promise<never>(() => {});

async function* whole(): AsyncGenerator<AgentEvent> {
  yield TEXT;
  yield FINISH;
}

interface Given {
  readonly begun?: Promise<boolean>;
  readonly opening?: () => Promise<OpenConversation>;
  readonly ending?: Promise<boolean>;
  readonly work?: Ask;
}

/** An agent over one conversation, and what was recorded in it. */
function recorded({ begun = Promise.resolve(true), opening, ending, work = whole }: Given = {}) {
  const events: AgentEvent[] = [];
  const ends: string[] = [];
  const asked: Question[] = [];
  const open = async (question: Question): Promise<OpenConversation> => ({
    id: 'conversation',
    answerId: 'answer',
    question: { ...question, conversationId: 'conversation' },
    begun,
    record: (event) => void events.push(event),
    end: (state) => {
      ends.push(state);
      return ending ?? Promise.resolve(true);
    },
  });
  const ask = recordedAgent({ open: opening ?? open }, (question, scope, isStreamed) => {
    asked.push(question);
    return work(question, scope, isStreamed);
  });
  return { ask, open, events, ends, asked };
}

/** All events; an error ends them. */
async function eventsOf(ask: Ask, isStreamed: boolean, question = ASKED, scope = app.scope()) {
  const events: unknown[] = [];
  try {
    for await (const event of ask(question, scope, isStreamed)) events.push(event);
  } catch (error) {
    events.push(error);
  }
  return events;
}

const START = { type: 'start', messageId: 'answer' };
const named = (event: AgentEvent) => ({
  ...event,
  answer: { ...(event as { answer: object }).answer, conversationId: 'conversation' },
});

it('names its conversation at the start of a stream and in the answer, and records every event', async () => {
  const streamed = recorded();
  expect(await eventsOf(streamed.ask, true)).toEqual([
    { ...START, conversationId: 'conversation' },
    TEXT,
    named(FINISH),
  ]);
  expect([streamed.events, streamed.ends]).toEqual([[TEXT, FINISH], ['complete']]);
  expect(streamed.asked).toEqual([{ ...ASKED, conversationId: 'conversation' }]);
  const plain = recorded();
  expect(await eventsOf(plain.ask, false)).toEqual([TEXT, named(FINISH)]);
  expect([plain.events, plain.ends]).toEqual([[TEXT, FINISH], ['complete']]);
});

it('names no conversation that is not stored', async () => {
  for (const isStreamed of [true, false]) {
    const { ask } = recorded({ begun: Promise.resolve(false) });
    const events = await eventsOf(ask, isStreamed);
    expect(events).toStrictEqual(isStreamed ? [START, TEXT, FINISH] : [TEXT, FINISH]);
  }
});

it('waits a moment for its conversation to be stored', async () => {
  for (const isStreamed of [true, false]) {
    const stored = new Promise<boolean>((resolve) => setTimeout(resolve, 30, true));
    expect((await eventsOf(recorded({ begun: stored }).ask, isStreamed)).at(-1)).toEqual(named(FINISH));
  }
});

it('begins a stream although the conversation is not stored yet', async () => {
  const { ask } = recorded({ begun: never });
  expect(await eventsOf(ask, true)).toStrictEqual([START, TEXT, FINISH]);
});

it('ends as interrupted when the agent fails, which a caller without a stream waits for', async () => {
  const failure = new AtlasError('The provider is gone.', { code: 'provider_error' });
  async function* work(): AsyncGenerator<AgentEvent> {
    yield TEXT;
    throw failure;
  }
  const streamed = recorded({ work, ending: never });
  expect(await eventsOf(streamed.ask, true)).toEqual([{ ...START, conversationId: 'conversation' }, TEXT, failure]);
  expect(new Set(streamed.ends)).toEqual(new Set(['interrupted']));
  const stored = Promise.withResolvers<boolean>();
  const plain = recorded({ work, ending: stored.promise });
  let isTold = false;
  const told = eventsOf(plain.ask, false).then((events) => {
    isTold = true;
    return events;
  });
  await expect.poll(() => plain.ends.length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isTold).toBe(false);
  stored.resolve(true);
  expect(await told).toEqual([TEXT, failure]);
  expect(new Set(plain.ends)).toEqual(new Set(['interrupted']));
});

it('tells a failure after 800 ms although the conversation is not stored yet', async () => {
  const failure = new Error('gone');
  async function* work(): AsyncGenerator<AgentEvent> {
    yield* [];
    throw failure;
  }
  const { ask } = recorded({ work, ending: never });
  expect(await eventsOf(ask, false)).toEqual([failure]);
});

it('ends as interrupted when the agent ends without an answer', async () => {
  async function* work(): AsyncGenerator<AgentEvent> {
    yield TEXT;
  }
  const { ask, ends } = recorded({ work });
  expect(await eventsOf(ask, false)).toEqual([TEXT]);
  expect(ends).toEqual(['interrupted']);
});

it('keeps a complete answer although its caller fails or leaves at the end', async () => {
  const { ask, ends } = recorded();
  for await (const { type } of ask(ASKED, app.scope(), true)) if (type === 'finish') break;
  expect(ends).toEqual(['complete']);
});

it('cancels the agent when the caller leaves, and closes it', async () => {
  let signal: AbortSignal | undefined;
  let isClosed = false;
  const work: Ask = async function* (_, scope) {
    signal = scope.signal;
    try {
      yield TEXT;
      yield TEXT;
    } finally {
      isClosed = true;
    }
  };
  const { ask, ends } = recorded({ work });
  for await (const { type } of ask(ASKED, app.scope(), true)) if (type === 'text') break;
  expect([signal?.aborted, isClosed, ends]).toEqual([true, true, ['interrupted']]);
});

it('is cancelled with its request', async () => {
  let signal: AbortSignal | undefined;
  const scope = app.scope();
  const work: Ask = async function* (_, part) {
    signal = part.signal;
    yield TEXT;
  };
  const events = recorded({ work }).ask(ASKED, scope, false)[Symbol.asyncIterator]();
  await events.next();
  expect(signal?.aborted).toBe(false);
  scope.abort(new Error('The client has left.'));
  expect(signal?.aborted).toBe(true);
  await events.return?.();
});

const away = () => Promise.reject(new AtlasError('The database is away.', { code: 'unavailable' }));
const errorsOf = (from: number) =>
  app.lines.slice(from).flatMap(({ level, message, fields }) => (level === 'error' ? [[message, fields]] : []));

it('answers without recording when a conversation cannot be looked up by its name', async () => {
  const lines = app.lines.length;
  const { ask, asked } = recorded({ opening: away });
  const question = { ...ASKED, conversationName: 'chat' };
  expect(await eventsOf(ask, true, question)).toEqual([TEXT, FINISH]);
  expect(asked).toEqual([question]);
  expect(errorsOf(lines)).toMatchObject([
    ['A conversation could not be opened by its name.', { error: 'The database is away.' }],
  ]);
});

it('fails when a conversation cannot be opened by its id, or at all', async () => {
  const unavailable = [expect.objectContaining({ code: 'unavailable' })];
  for (const more of [{ conversationId: 'c' }, { conversationId: 'c', conversationName: 'chat' }, {}]) {
    expect(await eventsOf(recorded({ opening: away }).ask, true, { ...ASKED, ...more })).toEqual(unavailable);
  }
  const question = { ...ASKED, conversationName: 'chat' };
  for (const error of [new AtlasError('Not yours.', { code: 'not_found' }), new Error('broken')]) {
    expect(await eventsOf(recorded({ opening: () => Promise.reject(error) }).ask, true, question)).toEqual([error]);
  }
});

it('answers when a name is looked up for too long, and ends what is opened late', async () => {
  const lines = app.lines.length;
  const late = Promise.withResolvers<void>();
  const { open, ends } = recorded();
  const slow = recorded({ opening: () => late.promise.then(() => open(ASKED)) });
  expect(await eventsOf(slow.ask, true, { ...ASKED, conversationName: 'chat' })).toEqual([TEXT, FINISH]);
  expect(errorsOf(lines).map(([message]) => message)).toEqual([
    'A conversation could not be opened by its name in time.',
  ]);
  expect(ends).toEqual([]);
  late.resolve();
  await expect.poll(() => ends).toEqual(['interrupted']);
});

it('records a conversation that is looked up by its name in time', async () => {
  const { ask, ends } = recorded();
  await eventsOf(ask, true, { ...ASKED, conversationName: 'chat' });
  expect(ends).toEqual(['complete']);
});
