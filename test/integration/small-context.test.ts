/** Atlas with a model that reads 4,096 tokens at once, as Ollama does by default: everything has to fit. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatTurn } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { createWorkspace } from '../bench/workspace.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';

const CONTEXT_TOKENS = 4_096;
/** Pessimistic: names and JSON have three to four bytes a token. */
const tokensOf = ({ body }: RecordedRequest) => JSON.stringify([body.messages, body.tools ?? []]).length / 3;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atlas-small-context-'));
  await createSimpleDemo(join(folder, 'demo.db'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server that refuses what is longer than its context, less 256 tokens for the answer. */
async function start(
  dir: string,
  respond: (request: RecordedRequest, n: number) => Step,
  database = join(folder, 'demo.db'),
) {
  const server = await startOpenAIServer({
    respond(request, n) {
      if (tokensOf(request) <= CONTEXT_TOKENS - 256) return respond(request, n);
      const message = `This model's maximum context length is ${CONTEXT_TOKENS} tokens.`;
      return {
        status: 400,
        body: { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } },
      };
    },
  });
  const app = await createTestApp({
    openGates: false,
    plugins: [
      semanticLayer({ dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${database}` }] }),
      modelOpenai({
        provider: 'openai-compatible',
        baseUrl: server.url,
        maxRetries: 0,
        contextTokens: CONTEXT_TOKENS,
      }),
      agent(),
    ],
  });
  return {
    server,
    ask: (...turns: ChatTurn[]) => app.get(agent).answer({ turns, surface: 'api' }, app.scope()),
    async [Symbol.asyncDispose]() {
      await app.close();
      await server.close();
    },
  };
}

const user = (text: string): ChatTurn => ({ role: 'user', text });
const call = (name: string, args: object): Step => ({ toolCall: { name, args } });

describe('the demo', () => {
  const dir = new URL('../../semantic', import.meta.url).pathname;

  test('answers with large results, after many steps', async () => {
    const steps = [
      call('explore', { path: 'entities/orders.yml' }),
      ...[1, 2, 3, 4, 5, 6].map((n) => call('executeSQL', { sql: `SELECT * FROM orders WHERE id > ${n}` })),
      { text: 'There are many.' },
    ];
    await using demo = await start(dir, (_, n) => steps[n] ?? { status: 500 });
    const answer = await demo.ask(user('Which orders are there, by customer?'));
    expect(answer).toMatchObject({ text: 'There are many.', steps: steps.length, outcome: 'answered' });
    expect(answer.data[5]?.rows.length).toBeGreaterThan(100);
    const [first, ...rest] = demo.server.requests;
    expect(first?.tools).toEqual(expect.arrayContaining(['explore', 'executeSQL', 'clarify']));
    expect(first?.text).toContain('orders');
    const last = JSON.parse(rest.at(-1)?.toolResults.at(-1) ?? '');
    expect(last.rows.length).toBeGreaterThan(0);
    expect(rest.at(-1)?.toolResults[1]).toContain('left out');
  });

  test('answers at the end of a long conversation', async () => {
    await using demo = await start(dir, (request) =>
      request.toolResults.length > 0
        ? { text: 'Some.' }
        : call('executeSQL', { sql: 'SELECT COUNT(*) AS n FROM orders' }),
    );
    const earlier = Array.from({ length: 20 }, (_, at): ChatTurn => {
      return { role: at % 2 === 0 ? 'user' : 'assistant', text: `Turn ${at}: ${'words '.repeat(100)}` };
    });
    await expect(demo.ask(...earlier, user('And how many orders are there?'))).resolves.toMatchObject({
      text: 'Some.',
    });
  });

  test('says that a question is too long', async () => {
    await using demo = await start(dir, () => ({ text: 'No.' }));
    await expect(demo.ask(user('why '.repeat(2_000)))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(demo.server.requests).toEqual([]);
  });
});

test('the first request for 50 entities fits, with the columns of the entity that is asked about', async () => {
  using workspace = await createWorkspace(50, 16);
  const { questions } = workspace.layer;
  await using small = await start(workspace.semanticDir, () => ({ text: 'Some.' }), workspace.databasePath);
  for (const { question } of questions) await small.ask(user(question));
  expect(small.server.requests).toHaveLength(questions.length);
  const found = questions.filter(({ entity }, at) => small.server.requests[at]?.question.includes(`## ${entity} `));
  expect(found.length).toBeGreaterThanOrEqual(questions.length * 0.9);
});
