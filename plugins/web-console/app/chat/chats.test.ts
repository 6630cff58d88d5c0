import { afterEach, expect, it, vi } from 'vitest';
import { messageOf } from '../api/failure.ts';
import { TEXTS } from '../texts.ts';
import { Chats } from './chats.ts';
import { textOf } from './message.ts';
import { askAgain, messageOf as storedMessage } from './stored-chat.ts';

const ID = '00000000-0000-4000-8000-000000000001';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Sent {
  readonly path: string;
  readonly trigger?: string;
  readonly asked?: readonly string[];
}

/** Answers each request in turn, and lists what was asked. */
function answering(...responses: Response[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (path: string, { body }: RequestInit = {}) => {
    const { trigger, messages } = JSON.parse(String(body ?? '{}'));
    const asked = messages?.map(({ parts }: { parts: { text: string }[] }) => parts.map(({ text }) => text).join(''));
    sent.push({ path, trigger, asked });
    return responses.shift();
  });
  return sent;
}

const streaming = (...chunks: object[]) =>
  new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  });
const saying = (delta: string, start: object = {}) =>
  streaming(
    { type: 'start', ...start },
    { type: 'start-step' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta },
    { type: 'text-end', id: '1' },
    { type: 'finish-step' },
    { type: 'finish', messageMetadata: { outcome: 'answered' } },
  );
const refused = () =>
  new Response('The request is too large.', { status: 413, headers: { 'content-type': 'text/plain' } });

it('a question that was refused is not sent with the next one', async () => {
  const sent = answering(saying('One.'), refused(), saying('Two.'));
  const chat = new Chats().create(ID);
  for (const text of ['first', 'far too long', 'second']) await chat.sendMessage({ text });
  expect(sent.map(({ asked }) => asked)).toEqual([
    ['first'],
    ['first', 'One.', 'far too long'],
    ['first', 'One.', 'second'],
  ]);
});

it.each([
  ['the page of a proxy', '<h1>Sign in</h1>', { 'content-type': 'text/html' }],
  ['JSON', '{}', { 'content-type': 'application/json' }],
  ['nothing', null, {}],
] satisfies [string, string | null, Record<string, string>][])('%s is no answer', async (_, body, headers) => {
  answering(new Response(body, { headers }));
  const chat = new Chats().create(ID);
  await chat.sendMessage({ text: 'question' });
  expect(chat.error).toMatchObject({ message: TEXTS.failure.format, status: 200 });
});

it('an answer without pings has lost its server, and is given up', async () => {
  vi.useFakeTimers();
  const cancel = vi.fn();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const start = (given: ReadableStreamDefaultController<Uint8Array>) => {
    controller = given;
  };
  answering(new Response(new ReadableStream({ start, cancel }), { headers: { 'content-type': 'text/event-stream' } }));
  const chat = new Chats().create(ID);
  const asked = chat.sendMessage({ text: 'question' });
  for (let ping = 0; ping < 5; ping += 1) {
    await vi.advanceTimersByTimeAsync(44_000);
    controller?.enqueue(new TextEncoder().encode(': ping\n\n'));
  }
  await vi.advanceTimersByTimeAsync(44_000);
  expect(chat.status).toBe('submitted');
  await vi.advanceTimersByTimeAsync(2_000);
  await asked;
  expect(chat.error).toMatchObject({ message: TEXTS.failure.network, status: 0 });
  expect(cancel).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['a chunk of another shape', { type: 'text-delta', rows: [{ salary: 1_234 }] }],
  ['a chunk out of turn', { type: 'text-delta', id: 'x', delta: 'secret' }],
])('%s is told in the words of the console', async (_, chunk) => {
  answering(streaming({ type: 'start' }, chunk));
  const chat = new Chats().create(ID);
  await chat.sendMessage({ text: 'question' });
  expect(messageOf(chat.error)).toBe(TEXTS.failure.format);
});

/** A conversation that was read from storage, of one answered question. */
function openStored(status: 'complete' | 'running' | 'interrupted') {
  return new Chats().create(ID, [
    storedMessage(storedAs('q', 'question')),
    storedMessage(storedAs('a', 'old', status)),
  ]);
}

function storedAs(id: string, text: string, status: 'complete' | 'running' | 'interrupted' = 'complete') {
  const role = id.startsWith('q') ? ('user' as const) : ('assistant' as const);
  return {
    id,
    role,
    content: { parts: [{ type: 'text' as const, text }] },
    status,
    conversationId: ID,
    createdAt: '',
    feedback: null,
  };
}

function silent() {
  return { ...storedAs('a', '', 'interrupted'), content: { parts: [] } };
}

it.each([
  ['did not get', [storedAs('q', 'question'), storedAs('a', 'One.')], 'submit-message'],
  ['got beside a later one', [storedAs('q', 'later'), silent()], 'submit-message'],
  ['has begun to answer', [storedAs('q', 'question'), storedAs('a', 'Tw', 'interrupted')], 'submit-message'],
  ['got, and left without a word', [storedAs('q', 'question'), silent()], 'regenerate-message'],
])('a question that the server %s replaces no word of an answer', async (_, messages, trigger) => {
  const sent = answering(saying('One.'), refused(), Response.json({ messages }), saying('Two.'));
  const chat = new Chats().create(ID);
  for (const text of ['question', 'question']) await chat.sendMessage({ text });
  expect(await askAgain(chat)).toBe(true);
  await vi.waitFor(() => expect(chat.messages.map(textOf)).toEqual(['question', 'One.', 'question', 'Two.']));
  expect(sent.map((request) => request.trigger)).toEqual(['submit-message', 'submit-message', undefined, trigger]);
});

it('the newest answer of a stored conversation is replaced', async () => {
  const sent = answering(Response.json({ messages: [storedAs('a', 'old')] }), saying('new'));
  const chat = openStored('complete');
  expect(await askAgain(chat)).toBe(true);
  await vi.waitFor(() => expect(chat.messages.map(textOf)).toEqual(['question', 'new']));
  expect(sent.map(({ trigger }) => trigger)).toEqual([undefined, 'regenerate-message']);
});

it.each([
  ['went on', [storedAs('q', 'question'), storedAs('a', 'old'), storedAs('q2', 'another'), storedAs('a2', 'later')]],
  ['goes on', [storedAs('q', 'question'), storedAs('a', 'more', 'running')]],
])('a conversation that %s elsewhere is shown, and nothing is asked', async (_, messages) => {
  const sent = answering(Response.json({ messages: messages.slice(-1) }), Response.json({ messages }));
  const chat = openStored('interrupted');
  expect(await askAgain(chat)).toBe(false);
  expect(sent.map(({ path }) => path)).toEqual([`/api/v1/conversations/${ID}?limit=1`, `/api/v1/conversations/${ID}`]);
  expect(chat.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
});

it('what was typed is kept for its chat, once', () => {
  const chats = new Chats();
  const stored = chats.create('stored', [storedMessage(storedAs('q', 'question'))]);
  chats.keepDraft(chats.create('new'), 'typed');
  chats.keepDraft(stored, 'more');
  expect(chats.takeDraft(chats.create('another'))).toBe('typed');
  expect(chats.takeDraft(chats.create('another'))).toBe('');
  expect(chats.takeDraft(stored)).toBe('more');
});
