/** A server as operators run it, with a model provider on the network, well-behaved and not. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { type OpenAIServer, type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';

const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT COUNT(*) FROM n';

const folder = emptyFolder();
const turns = (text: string) => ({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }] });

const base = { ...FLEET, SVC_LOG_LEVEL: 'error' };

async function post(server: RunningServer, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

/** The events of a chat stream, by code. */
function events(text: string): { code: string; payload: unknown }[] {
  return [...text.matchAll(/^data: (\w):(.*)$/gm)].map(([, code = '', json = '']) => ({
    code,
    payload: JSON.parse(json),
  }));
}

beforeAll(() => createFleet(folder.path));
afterAll(() => folder[Symbol.dispose]());

/** What the model does at each question. */
const AT_QUESTION: Readonly<Record<string, Step | ((request: RecordedRequest) => Step)>> = {
  'Boats by harbour?': ({ toolResults }) =>
    toolResults.length === 0
      ? {
          toolCall: {
            name: 'executeSQL',
            args: { sql: 'SELECT harbour, COUNT(*) AS n FROM boats GROUP BY harbour ORDER BY n DESC' },
          },
        }
      : { text: 'Two lie in Kiel, one in Bremen.' },
  'Refuse the key': { status: 401, body: { error: { message: 'bad key sk-secret' } } },
  'Know no model': { status: 404, body: { error: { message: 'no such model', code: 'model_not_found' } } },
  'Limit the rate': { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '7' } },
  'Fail within': { status: 500, body: { error: { message: 'oops' } } },
  'Answer a page': { garbage: 'not-json' },
  'Stay silent': { stall: true },
  'Count without end': { toolCall: { name: 'executeSQL', args: { sql: ENDLESS } } },
};

function respond(request: RecordedRequest): Step {
  const step = AT_QUESTION[request.question];
  if (step === undefined) throw new Error(`The model does not know the question ${request.question}`);
  return typeof step === 'function' ? step(request) : step;
}

describe.each(['openai', 'openai-compatible'])('with the provider %s', (provider) => {
  let model: OpenAIServer;
  let server: RunningServer;
  beforeAll(async () => {
    model = await startOpenAIServer({ respond });
    const env = {
      ...base,
      SVC_PROVIDER: provider,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'test',
      SVC_MODEL: 'm',
      SVC_MODEL_TIMEOUT_MS: '5000',
    };
    server = await serve({ cwd: folder.path, env });
  });
  afterAll(async () => {
    await server?.stop();
    await model?.close();
  });

  it('answers /query, and both chat paths as a stream', async () => {
    const reply = await post(server, '/api/v1/query', { question: 'Boats by harbour?' });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({
      answer: 'Two lie in Kiel, one in Bremen.',
      sql: [expect.stringContaining('FROM boats')],
      data: [
        {
          columns: ['harbour', 'n'],
          rows: [
            { harbour: 'Kiel', n: 2 },
            { harbour: 'Bremen', n: 1 },
          ],
        },
      ],
      steps: 2,
      usage: { totalTokens: expect.any(Number) },
    });
    for (const path of ['/api/chat', '/api/v1/chat']) {
      const stream = await post(server, path, turns('Boats by harbour?'));
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      const seen = events(await stream.text());
      expect(seen.map(({ code }) => code).join('')).toMatch(/^9a0+d$/);
      expect(seen[1]?.payload).toMatchObject({ result: { columns: ['harbour', 'n'], rows: expect.any(Array) } });
    }
    const ui = await post(server, '/api/chat?stream=ui', turns('Boats by harbour?'));
    expect(ui.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(await ui.text()).toMatch(/"type":"text-delta"[\s\S]*data: \[DONE\]/);
  });

  it.each([
    ['Refuse the key', 502, 'provider_auth_error'],
    ['Know no model', 400, 'provider_model_not_found'],
    ['Limit the rate', 429, 'provider_rate_limit'],
    ['Fail within', 502, 'provider_error'],
    ['Answer a page', 502, 'provider_error'],
  ])('a provider asked to "%s" becomes %i %s, and the next question is answered', async (question, status, code) => {
    for (const path of ['/api/v1/query', '/api/chat']) {
      const response = await post(server, path, path === '/api/chat' ? turns(question) : { question });
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({
        error: code,
        message: expect.any(String),
        requestId: expect.any(String),
      });
      expect(response.status).toBe(status);
      expect(text).not.toMatch(/sk-secret|oops|slow down/);
      if (status === 429) expect(response.headers.get('retry-after')).toBe('7');
    }
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    expect((await post(server, '/api/v1/query', { question: 'Boats by harbour?' })).status).toBe(200);
  });

  it('a provider that stays silent is 504, or an event of a stream whose headers come while it is awaited', async () => {
    const response = await post(server, '/api/v1/query', { question: 'Stay silent' });
    expect([response.status, await response.json()]).toMatchObject([504, { error: 'provider_timeout' }]);
    const stream = await post(server, '/api/chat', turns('Stay silent'));
    expect(model.requests.at(-1)).toMatchObject({ aborted: false, durationMs: undefined });
    expect(stream.status).toBe(200);
    expect(events(await stream.text())).toMatchObject([
      { code: '3', payload: { error: 'provider_timeout', requestId: stream.headers.get('x-request-id') } },
      { code: 'd', payload: { finishReason: 'error' } },
    ]);
  });

  it('a client that leaves in mid-stream ends the SQL and the model call', async () => {
    const controller = new AbortController();
    const stream = await post(server, '/api/chat', turns('Count without end'), { signal: controller.signal });
    await stream.body?.getReader().read();
    // On a busy machine the statement may be hardly running yet.
    await expect.poll(() => busyChildren(server.pid)).toBe(1);
    controller.abort();
    // Long before the statement's own timeout.
    await expect.poll(() => busyChildren(server.pid)).toBe(0);
  });

  it('a provider that is down is provider_unreachable', async () => {
    // The last test of this server: from here on it has no model.
    await model.close();
    const response = await post(server, '/api/v1/query', { question: 'Boats by harbour?' });
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'provider_unreachable' }]);
  });
});

describe('with the offline model', () => {
  let plain: RunningServer;
  beforeAll(async () => {
    plain = await serve({ cwd: folder.path, env: base });
  });
  afterAll(() => plain?.stop());

  it('health answers while a statement without end runs, which is cut at the timeout', async () => {
    await using model = await startOpenAIServer({
      respond: (_request, n) =>
        n === 0 ? { toolCall: { name: 'executeSQL', args: { sql: ENDLESS } } } : { text: 'It took too long.' },
    });
    const env = {
      ...base,
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: model.url,
      SVC_QUERY_TIMEOUT_MS: '10000',
    };
    await using server = await serve({ cwd: folder.path, env });
    const asked = post(server, '/api/v1/query', { question: 'Count without end' });
    await expect.poll(() => model.requests).toHaveLength(1);
    await expect.poll(() => busyChildren(server.pid)).toBe(1);
    const health = await fetch(`${server.url}/api/health`);
    expect([health.status, model.requests.length]).toEqual([200, 1]);
    expect(await (await asked).json()).toMatchObject({ answer: 'It took too long.', data: [] });
    expect(model.requests[1]?.toolResults.at(-1)).toContain('did not finish within 10000 ms');
    expect(busyChildren(server.pid)).toBe(0);
  });

  it('health is ok and names the provider', async () => {
    await expect
      .poll(async () => (await fetch(`${plain.url}/api/health`)).json())
      .toMatchObject({ status: 'ok', checks: { provider: { status: 'ok', provider: 'offline', model: 'offline' } } });
  });

  it('a missing database file is an honest error, health tells, and it heals by itself', async () => {
    using other = emptyFolder();
    createFleet(other.path);
    const env = { ...base, SVC_DATASOURCE_URL: 'sqlite:later.db' };
    await using server = await serve({ cwd: other.path, env });
    const before = await post(server, '/api/v1/query', { question: 'What is the boat count?' });
    expect([before.status, before.headers.get('retry-after')]).toEqual([503, '5']);
    const told = await before.text();
    expect(JSON.parse(told)).toMatchObject({ error: 'datasource_unavailable' });
    expect(told).not.toContain(other.path);
    await expect
      .poll(async () => (await fetch(`${server.url}/api/health`)).json())
      .toMatchObject({ status: 'degraded', checks: { datasource: { status: 'error' } } });
    const database = new Database(join(other.path, 'later.db'));
    database.exec('CREATE TABLE boats (id INTEGER PRIMARY KEY, harbour TEXT)');
    database.close();
    const after = await post(server, '/api/v1/query', { question: 'What is the boat count?' });
    expect([after.status, await after.json()]).toMatchObject([200, { data: [{ rows: [{ boat_count: 0 }] }] }]);
  });

  it('a broken file of the semantic layer is reported, the others serve, and a repair is seen without a restart', async () => {
    using other = emptyFolder();
    createFleet(other.path);
    const broken = join(other.path, 'semantic', 'entities', 'crew.yml');
    writeFileSync(broken, 'table: crew\ndimensions:\n  - name: id\n   type: number\n');
    await using server = await serve({ cwd: other.path, env: { ...base, SVC_LOG_LEVEL: 'info' } });
    const ask = async (question: string) => (await post(server, '/api/v1/query', { question })).json();
    expect(await ask('What is the boat count?')).toMatchObject({ data: [{ rows: [{ boat_count: 3 }] }] });
    expect(server.stderr()).toMatch(/crew\.yml.*"line":4/);
    await expect
      .poll(async () => (await fetch(`${server.url}/api/health`)).json())
      .toMatchObject({ checks: { semanticLayer: { status: 'degraded', problemCount: 1 } } });
    const database = new Database(join(other.path, 'fleet.db'));
    database.exec('CREATE TABLE crew (id INTEGER PRIMARY KEY); INSERT INTO crew DEFAULT VALUES');
    database.close();
    writeFileSync(
      broken,
      'table: crew\ndimensions:\n  - { name: id, type: number, primary_key: true }\nmeasures:\n  - { name: crew_count, type: count, synonyms: [sailors] }\n',
    );
    await expect
      .poll(() => ask('What is the crew count?'), { interval: 300 })
      .toMatchObject({ data: [{ rows: [{ crew_count: 1 }] }] });
  });

  it('without a datasource, questions answer no_datasource and the server runs', async () => {
    using other = emptyFolder();
    await using server = await serve({ cwd: other.path, env: { SVC_LOG_LEVEL: 'error' } });
    const response = await post(server, '/api/v1/query', { question: 'What is the boat count?' });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'no_datasource' }]);
  });

  it.each([
    ['malformed JSON', '/api/v1/query', '{"question":', 400, 'invalid_request'],
    ['a missing question', '/api/v1/query', {}, 422, 'validation_error'],
    ['a blank question', '/api/v1/query', { question: '  ' }, 422, 'validation_error'],
    ['a bad conversation id', '/api/v1/query', { question: 'x', conversationId: '17' }, 422, 'validation_error'],
    ['a body of 2 MiB', '/api/v1/query', { question: 'x'.repeat(2 * 1024 * 1024) }, 413, 'payload_too_large'],
    ['an unknown route', '/api/v1/nothing', {}, 404, 'not_found'],
    ['a system message', '/api/chat', { messages: [{ id: '1', role: 'system', parts: [] }] }, 422, 'validation_error'],
  ])('%s is refused as contracted', async (_, path, body, status, code) => {
    const response = await post(plain, path, body);
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { error: code, requestId: expect.any(String) },
    ]);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });
});

/** Child processes of the server that use a processor right now. */
function busyChildren(pid: number): number {
  const ticks = () => childTicks(pid);
  const before = ticks();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  const after = ticks();
  return [...after].filter(([child, used]) => used - (before.get(child) ?? used) > 3).length;
}

function childTicks(pid: number): Map<number, number> {
  const used = new Map<number, number>();
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  for (const child of children) {
    try {
      const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      used.set(child, Number(fields[11]) + Number(fields[12]));
    } catch {
      // It ended between the two looks.
    }
  }
  return used;
}
