/** Checks a database that accepts connections and never answers: every route answers 503 while it hangs, and recovers by itself. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import {
  authResolve,
  type ConnectionInfo,
  datasourceExecute,
  datasourceList,
  definePlugin,
  sqlCheck,
} from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { type Ask, agent, agentWrap } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { queryApi } from '../query-api/index.ts';
import { internalDb } from './index.ts';

// On a busy machine a refusal comes later than a stream's headers may, and would be a part of the stream.
vi.mock('../query-api/header-wait.ts', () => ({ HEADERS_WITHIN_MS: 10_000 }));

const QUESTION = { question: 'How many?' };
const CHAT = { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many?' }] }] };

const database = definePlugin({
  name: 'test-database',
  version: '1.0.0',
  type: 'datasource',
  description: 'Answers every statement with one row.',
  setup(ctx) {
    const connection: ConnectionInfo = { id: 'main', dbType: 'sqlite', maskedUrl: 'sqlite:x.db' };
    ctx.tap(authResolve, () => ({
      actor: { id: 'ann', label: 'ann', role: 'admin' as const, mode: 'test', claims: {} },
      orgId: null,
    }));
    ctx.tap(datasourceList, () => [connection]);
    ctx.tap(sqlCheck, () => {});
    ctx.tapKey(datasourceExecute, 'main', () => ({
      columns: ['n'],
      rows: [{ n: 1 }],
      truncated: false,
      notes: [],
    }));
  },
});

/** Answers in place of the model with one statement, after what a test wants to happen first. */
const answering = definePlugin({
  name: 'test-answering',
  version: '1.0.0',
  type: 'core',
  description: 'Answers every question with one statement.',
  setup(ctx) {
    const api = { beforeSql: async () => {} };
    async function* ask(...[, scope]: Parameters<Ask>): ReturnType<Ask> {
      await api.beforeSql();
      await ctx.runSql({ sql: 'SELECT 1', surface: 'api' }, scope);
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      const text = 'One.';
      yield {
        type: 'finish',
        answer: {
          text,
          sql: [],
          data: [],
          steps: 1,
          usage,
          pendingActions: [],
          finishReason: 'stop' as const,
          outcome: 'answered' as const,
          notes: [],
        },
      };
    }
    ctx.tap(agentWrap, () => [() => ask], { stage: 'post' });
    return api;
  },
});

async function start(url: string) {
  const app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url, silenceMs: 1_500, busyTimeoutMs: 1_500 }),
      database(),
      audit(),
      agent(),
      answering(),
      conversations(),
      queryApi(),
    ],
  });
  const post = (path: string, payload: object) => app.inject({ method: 'POST', url: path, payload });
  const get = (path: string) => app.inject({ method: 'GET', url: path });
  return {
    app,
    post,
    get,
    duringAnswer(work: () => Promise<void>) {
      app.get(answering).beforeSql = work;
    },
    /** Entries of the audit log, as its file or server has them. */
    entries: () =>
      app.get(internalDb).run((db) => db('audit_log').orderBy('timestamp').select('id', 'success', 'error')),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

interface Lockable extends AsyncDisposable {
  readonly url: string;
  freeze(): void;
  thaw(): void;
}

async function postgres(): Promise<Lockable> {
  const server = await startPostgres();
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

async function sqlite(): Promise<Lockable> {
  const folder = emptyFolder();
  const path = join(folder.path, 'atlas.db');
  let other: Sqlite.Database | undefined;
  return {
    url: `sqlite:${path}`,
    freeze() {
      other = new Sqlite(path);
      other.exec('begin exclusive');
    },
    thaw() {
      other?.exec('commit');
      other?.close();
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

describe.each([
  ['a SQLite file that another process has locked', sqlite],
  ['a PostgreSQL server that is frozen', postgres],
] as const)('%s', (_, open) => {
  it('is 503 on every route and for questions while it hangs, and heals by itself', { timeout: 120_000 }, async () => {
    await using store = await open();
    await using server = await start(store.url);
    expect((await server.post('/api/v1/query', QUESTION)).statusCode).toBe(200);
    store.freeze();
    const first = await server.post('/api/v1/query', QUESTION);
    // The end of a hook's own time, which is far longer, would be another error.
    expect(first.statusCode).toBe(503);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => [
        server.post('/api/v1/query', QUESTION),
        server.post('/api/v1/chat', CHAT),
        server.post('/api/v1/admin/audit/retention/purge', {}),
      ]).flat(),
    );
    for (const answer of [first, ...answers]) {
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([503, 'unavailable']);
      expect(answer.headers).toMatchObject({ 'retry-after': '5', 'x-request-id': expect.any(String) });
      expect(answer.headers).not.toHaveProperty('x-conversation-id');
      expect(answer.json()).not.toHaveProperty('conversationId');
    }
    for (const path of ['/api/v1/conversations', '/api/v1/admin/audit', '/api/v1/admin/audit/stats']) {
      // Where only writing is locked, reading is not.
      const answer = await server.get(path);
      if (answer.statusCode !== 200) expect(answer.json()).toMatchObject({ error: 'unavailable' });
    }
    store.thaw();
    const again = async () => (await server.post('/api/v1/query', QUESTION)).statusCode;
    await expect.poll(again, { timeout: 30_000 }).toBe(200);
    const chat = await server.post('/api/v1/chat', CHAT);
    const named = chat.headers['x-conversation-id'];
    expect((await server.get(`/api/v1/conversations/${named}`)).statusCode).toBe(200);
  });

  it('gives each statement one entry, although its rows were withheld', { timeout: 120_000 }, async () => {
    await using store = await open();
    await using server = await start(store.url);
    await server.post('/api/v1/query', QUESTION);
    server.duringAnswer(async () => store.freeze());
    const withheld = await server.post('/api/v1/query', QUESTION);
    expect(withheld.statusCode).toBe(503);
    server.duringAnswer(async () => {});
    store.thaw();
    const told = async () => {
      const entries = await server.entries().catch(() => []);
      return entries.map(({ success, error }) => [Boolean(success), error]);
    };
    const reason = expect.stringMatching(/^(failed|refused): .*(withheld|not available)/);
    await expect.poll(told, { timeout: 30_000 }).toEqual([
      [true, null],
      [false, reason],
    ]);
    await expect.poll(async () => (await server.post('/api/v1/query', QUESTION)).statusCode).toBe(200);
    // Questions that were refused meanwhile have entries of their own.
    expect((await server.entries()).filter(({ success }) => success)).toHaveLength(2);
  });
});
