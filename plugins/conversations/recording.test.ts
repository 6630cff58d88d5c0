import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChatTurn, Question, Scope } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import type { AgentEvent } from '../agent/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { StoredConversations } from './conversations.ts';
import { conversations } from './index.ts';
import type { MessagePart, ToolPart } from './parts.ts';
import type { MessageRow } from './rows.ts';
import { ConversationStore } from './store.ts';

const ask = (text: string, conversationId?: string): Question => ({
  surface: 'api',
  turns: [{ role: 'user', text }],
  ...(conversationId !== undefined && { conversationId }),
});

const answer = (result: unknown): AgentEvent[] => [
  { type: 'text', text: 'Let me look.' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'look', args: {} },
  { type: 'tool-result', toolCallId: 'c1', toolName: 'look', result },
  { type: 'text', text: 'It is \0 "{\\"type\\":\\"text\\"}".' },
];

async function start(url: string, now = new Date('2026-01-15T12:00:00Z')) {
  const app = await createTestApp({ plugins: [internalDb({ url }), conversations()], now });
  const store = new ConversationStore(app.get(internalDb));
  const stored = new StoredConversations(store, { now: () => now.getTime(), logOf: (scope) => scope.log });
  const open = (question: Question, scope: Scope = app.scope(), isStreamed = true) =>
    stored.open(question, scope, isStreamed);
  /** Resolves to the conversation's id, once question and answer are stored. */
  async function say(question: Question, result: unknown = {}): Promise<string> {
    const conversation = await open(question);
    for (const event of answer(result)) conversation.record(event);
    expect(await conversation.end('complete')).toBe(true);
    return conversation.id;
  }
  const messages = async (id: string) => (await store.messages(id, 1_000, 0)).rows;
  const partsOf = ({ parts }: MessageRow) => JSON.parse(parts) as MessagePart[];
  return { app, store, open, say, messages, partsOf, [Symbol.asyncDispose]: () => app.close() };
}

describe.each(chosenEngines)('on %s', (_, openEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openEngine();
  }, 60_000);
  afterAll(async () => engine[Symbol.asyncDispose]());

  it.each([
    ['a long text', { text: 'x'.repeat(1_000_000) }],
    ['a long text beside rows', { rows: [{ n: 1 }], text: 'x'.repeat(1_000_000) }],
    ['a long text between rows', { rows: [{ n: 1 }, { n: 'x'.repeat(1_000_000) }, { n: 3 }], columns: ['n'] }],
    ['many columns and long rows', { rows: [{ n: 'x'.repeat(40_000) }], columns: Array(9_000).fill('name') }],
  ])('bounds a result with %s', async (_name, result) => {
    await using server = await start(await engine.fresh());
    const id = await server.say(ask('How many?'), result);
    const [, message] = await server.messages(id);
    expect(message?.parts.length).toBeLessThan(66_000);
    const [, tool] = server.partsOf(message as MessageRow) as [MessagePart, ToolPart];
    expect(tool).toMatchObject({ state: 'output-available', output: { truncated: true } });
  });

  it('limits the size of a message of any parts, and keeps its beginning', async () => {
    await using server = await start(await engine.fresh());
    const conversation = await server.open(ask(`How ${'m'.repeat(5_000)}any?`));
    conversation.record({ type: 'text', text: 'Let me look.' });
    for (let call = 0; call < 300; call += 1) {
      const common = { toolCallId: `c${call}`, toolName: 'look' };
      conversation.record({ type: 'tool-call', ...common, args: { sql: 'x'.repeat(1_000) } });
      conversation.record({ type: 'tool-result', ...common, result: { text: 'y'.repeat(20_000) } });
    }
    for (let piece = 0; piece < 2_000; piece += 1) conversation.record({ type: 'text', text: 'z'.repeat(1_000) });
    conversation.record({ type: 'tool-call', toolCallId: 'late', toolName: 'look', args: {} });
    expect(await conversation.end('complete')).toBe(true);
    const [, message] = await server.messages(conversation.id);
    expect(message?.parts.length).toBeLessThan(600_000);
    expect(server.partsOf(message as MessageRow).slice(0, 2)).toMatchObject([
      { text: 'Let me look.' },
      { toolCallId: 'c0', state: 'output-available', output: { text: 'y'.repeat(20_000) } },
    ]);
  });

  it('keeps infinite numbers, which JSON does not have, as strings', async () => {
    await using server = await start(await engine.fresh());
    const rows = [
      { n: Number.POSITIVE_INFINITY, m: 1 },
      { n: Number.NaN, m: null },
      { n: '-Infinity', m: 1.5 },
    ];
    const id = await server.say(ask('How many?'), { columns: ['n', 'm'], rows });
    const [, message] = await server.messages(id);
    const [, tool] = server.partsOf(message as MessageRow) as [MessagePart, ToolPart];
    expect(tool.output).toMatchObject({
      rows: [
        { n: 'Infinity', m: 1 },
        { n: 'NaN', m: null },
        { n: '-Infinity', m: 1.5 },
      ],
    });
  });

  it('refuses a question to a conversation that is full', async () => {
    await using server = await start(await engine.fresh());
    const id = await server.say(ask('One?'));
    const filler = Array.from({ length: 997 }, (_, n) => ({
      id: randomUUID(),
      conversation_id: id,
      position: n,
      role: 'user',
      parts: '[]',
      state: 'complete',
      created_at: '2026-01-15T12:00:00.000Z',
      updated_at: '2026-01-15T12:00:00.000Z',
    }));
    await server.app.get(internalDb).run((db) => db.batchInsert('conversation_messages', filler, 100));
    expect(await server.say(ask('The last?', id))).toBe(id);
    await expect(server.open(ask('One more?', id))).rejects.toMatchObject({
      code: 'conflict',
      message: 'A conversation has at most 1,000 messages, and this one is full.',
    });
  });

  it('writes an answer that is not streamed once, unless it takes long', async () => {
    await using server = await start(await engine.fresh());
    const writing = vi.spyOn(server.app.get(internalDb), 'write');
    const short = await server.open(ask('How many?'), server.app.scope(), false);
    for (const event of answer({})) short.record(event);
    expect(await short.end('complete')).toBe(true);
    expect(await short.begun).toBe(true);
    expect(writing).toHaveBeenCalledTimes(1);
    const [question, message] = await server.messages(short.id);
    expect([question?.role, message?.state]).toEqual(['user', 'complete']);
    expect(server.partsOf(message as MessageRow)).toHaveLength(3);

    const long = await server.open(ask('How many now?'), server.app.scope(), false);
    const state = async () => (await server.messages(long.id))[1]?.state;
    await expect.poll(state).toBe('running');
    expect(await long.end('interrupted')).toBe(true);
    expect(await state()).toBe('interrupted');
    expect(writing).toHaveBeenCalledTimes(3);
  });

  it('keeps the rest of an answer when a part is not JSON', async () => {
    await using server = await start(await engine.fresh());
    const id = await server.say(ask('How many?'), { count: 1n });
    const [, message] = await server.messages(id);
    expect(message?.state).toBe('complete');
    expect(server.partsOf(message as MessageRow)).toMatchObject([
      { text: 'Let me look.' },
      { state: 'input-available' },
      { text: expect.stringMatching(/^It is/) },
    ]);
  });

  it('resolves to false when the message cannot be written', async () => {
    await using server = await start(await engine.fresh());
    const conversation = await server.open(ask('How many?'));
    const args: Record<string, unknown> = {};
    conversation.record({ type: 'tool-call', toolCallId: 'c1', toolName: 'look', args });
    args.self = args;
    expect(await conversation.end('complete')).toBe(false);
    expect(server.app.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'A conversation could not be stored.' }),
    );
  });

  it('ends an answer that is not consumed when its request ends', async () => {
    await using server = await start(await engine.fresh());
    const scope = server.app.scope();
    const conversation = await server.open(ask('How many?'), scope);
    conversation.record({ type: 'text', text: 'So far' });
    scope.abort(new Error('The client has left.'));
    const state = async () => (await server.messages(conversation.id))[1]?.state;
    await expect.poll(state).toBe('interrupted');
    await conversation.end('complete');
    expect(await state()).toBe('interrupted');
  });

  it('follows up behind the question, although the clock of this server is behind', async () => {
    const url = await engine.fresh();
    await using first = await start(url);
    await using second = await start(url, new Date('2026-01-15T11:59:00Z'));
    const id = await first.say(ask('One?'));
    await second.say(ask('Two?', id));
    const sent = { ...ask('Three?', id), turns: [...ask('One?').turns, ...ask('Three?').turns] };
    await using third = await start(url, new Date('2026-01-15T11:58:00Z'));
    await third.say(sent);
    const asked = (await first.messages(id)).filter(({ role }) => role === 'user');
    expect(asked.flatMap(first.partsOf)).toMatchObject([{ text: 'One?' }, { text: 'Two?' }, { text: 'Three?' }]);
  });

  it('reads the texts of earlier turns, without tool results', async () => {
    await using server = await start(await engine.fresh());
    const id = await server.say(ask('One?'), { rows: [{ text: '{"type":"text"}' }] });
    const { question, end } = await server.open(ask('Two?', id));
    await end('interrupted');
    expect(question.turns).toEqual([
      { role: 'user', text: 'One?' },
      { role: 'assistant', text: expect.stringMatching(/^Let me look\.\n\nIt is . "{\\"type\\":\\"text\\"}"\.$/) },
      { role: 'user', text: 'Two?' },
    ]);
    const { rows: said } = await server.store.said(id, 40);
    expect(said.map(({ parts }) => parts.length)).toEqual([1, 2, 1, 0]);
  });

  it('carries the last query of the conversation, without its rows', async () => {
    await using server = await start(await engine.fresh());
    const output = { sql: "SELECT n FROM t WHERE s = '\0'", columns: ['n'], rows: [{ n: 'a\0b' }] };
    const id = await server.say(ask('One?'), output);
    await server.say(ask('Thanks.', id));
    const query = { sql: output.sql, columns: ['n'] };
    const { question, end } = await server.open(ask('Two?', id));
    expect(question.turns.map((turn) => turn.query)).toEqual([undefined, undefined, undefined, query, undefined]);
    await end('interrupted');
    const turns: ChatTurn[] = [
      { role: 'user', text: 'One?' },
      { role: 'assistant', text: 'Sent by a client that keeps texts alone.' },
      { role: 'user', text: 'And by channel?' },
    ];
    const sent = await server.open({ ...ask('', id), turns });
    expect(sent.question.turns).toEqual([turns[0], { ...turns[1], query }, turns[2]]);
    await sent.end('interrupted');
    const own = { sql: 'SELECT 2', columns: [] };
    const withOwn = await server.open({ ...ask('', id), turns: turns.with(1, { ...turns[1]!, query: own }) });
    expect(withOwn.question.turns[1]?.query).toBe(own);
    await withOwn.end('interrupted');
  });
});

it('updates several conversations in a fixed order, so that two servers cannot deadlock', async () => {
  const [, openPostgres] = engines[1];
  await using engine = await openPostgres();
  const url = await engine.fresh();
  await using server = await start(url);
  await using other = await start(url);
  const [first = '', last = ''] = [await server.say(ask('One?')), await server.say(ask('Two?'))].sort();
  const at = '2026-01-15T13:00:00.000Z';
  const db = server.app.get(internalDb);
  const waiting = () => db.run((knex) => knex('pg_stat_activity').where({ wait_event_type: 'Lock' }).pluck('pid'));
  let writing: Promise<unknown> | undefined;
  await other.app.get(internalDb).transaction(async (trx) => {
    await trx('conversations').where({ id: first }).forUpdate().first();
    writing = Promise.all([server.store.append(last, [], at), server.store.append(first, [], at)]);
    await expect.poll(waiting).toHaveLength(1);
    const free = await trx('conversations').where({ id: last }).forUpdate().noWait().first('id');
    expect(free).toEqual({ id: last });
  });
  await writing;
}, 60_000);
