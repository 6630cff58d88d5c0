import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trace } from '@opentelemetry/api';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { AtlasError, authResolve, definePlugin, httpRoutes, type PluginEntry, sqlBefore } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type OpenAIServerOptions, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql, testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { queryApi } from '../query-api/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';
import { usage } from '../usage/index.ts';
import { type ReceivedSpan, startCollector } from './collector.fixture.ts';
import { METRICS, type MetricName, prometheusName, telemetryOtel } from './index.ts';

const QUESTION = 'How many orders did Zebulon place?';
const SQL =
  "select region, count(*) as n, 'Xylophone' as word from orders where coalesce(note, '') <> 'Quetzal' group by region";
const ANSWER = 'Zebulon placed a dozen: Wolframite.';
const SECRETS = /Zebulon|Xylophone|Quetzal|select region|north|Wolframite/i;
const STEPS: OpenAIServerOptions = { script: [callSql(SQL), { text: ANSWER }] };

/** The second call of a question would reach its budget. */
const USAGE = [internalDb({}), usage({ questionTokens: 200, prices: { scripted: { input: 1, output: 2 } } })];

const fails = definePlugin({
  name: 'test-fails',
  version: '1.0.0',
  type: 'interaction',
  description: 'Brings a route that fails and one with a parameter, and names the table of statements.',
  setup(ctx) {
    ctx.tap(sqlBefore, (statement) => {
      if (statement.sql.includes('from orders')) return { ...statement, tables: ['orders'] };
      return undefined;
    });
    const route = {
      method: 'GET',
      summary: 'A test.',
      tag: 'Test',
      right: 'public',
      responses: { 200: Type.Any() },
    } as const;
    const fail = () => {
      throw new Error('Zebulon was here');
    };
    ctx.tap(httpRoutes, () => [
      { ...route, path: '/fails', handle: fail },
      { ...route, path: '/things/:id', handle: () => ({ body: {} }) },
    ]);
  },
});

pluginContract('telemetry-otel', () => telemetryOtel({ metricsRoute: true, metricsPublic: true }));

type Options = Parameters<typeof telemetryOtel>[0];

async function start(options: Options, more: { model?: OpenAIServerOptions; plugins?: readonly PluginEntry[] } = {}) {
  const model = await startOpenAIServer(more.model ?? STEPS);
  const app = await createTestApp({
    plugins: [
      telemetryOtel(options),
      http({ port: 0 }),
      testShop(),
      modelOpenai({ provider: 'openai-compatible', baseUrl: model.url, model: 'scripted', maxRetries: 0 }),
      agent(),
      queryApi(),
      fails(),
      ...(more.plugins ?? []),
    ],
  });
  const url = app.get(http).url();
  return {
    app,
    model,
    url,
    ask: (headers: Record<string, string> = {}) =>
      fetch(`${url}/api/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ question: QUESTION }),
      }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await model.close();
    },
  };
}

/** Names below each other, in the order in which they began. */
function tree(spans: readonly ReceivedSpan[], parentId: string): unknown[] {
  return spans
    .filter((span) => span.parentId === parentId)
    .sort((a, b) => a.start - b.start)
    .map((span) => {
      const below = tree(spans, span.spanId);
      return below.length === 0 ? span.name : { [span.name]: below };
    });
}

const EXPECTED = [
  {
    'POST /api/v1/query': [
      { 'invoke_agent atlas': ['chat scripted', { 'execute_tool executeSQL': ['SELECT orders'] }, 'chat scripted'] },
    ],
  },
];

describe('traces', () => {
  it('one question is one trace, of which no byte is content', async () => {
    await using collector = await startCollector();
    const t = await start({ endpoint: `${collector.url}/`, headers: { 'x-key': 'k' }, serviceName: 'shop' });
    expect((await t.ask({ 'x-request-id': 'r-1' })).status).toBe(200);
    await t[Symbol.asyncDispose]();

    expect(tree(collector.spans, '')).toEqual(EXPECTED);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const span of collector.spans) {
      const parent = collector.spans.find(({ spanId }) => spanId === span.parentId);
      expect(span.end).toBeGreaterThan(span.start);
      if (parent !== undefined) expect(span.start).toBeGreaterThanOrEqual(parent.start - 0.01);
      expect(Math.abs(span.end - Date.now())).toBeLessThan(60_000);
    }
    for (const body of collector.bodies) expect(body.toString('latin1')).not.toMatch(SECRETS);
    expect(collector.headers.every((headers) => headers['x-key'] === 'k')).toBe(true);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'shop' });
    expect([...collector.metrics]).toEqual(
      expect.arrayContaining(['http.server.request.duration', 'gen_ai.client.token.usage', 'atlas.hook.duration']),
    );
  });

  it('speak the semantic conventions', async () => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url });
    await t.ask({ 'x-request-id': 'r-1' });
    await t[Symbol.asyncDispose]();
    const span = (name: string) => collector.spans.find((one) => one.name === name);
    expect(span('POST /api/v1/query')).toMatchObject({
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/query',
        'http.response.status_code': 200,
        'atlas.request.id': 'r-1',
      },
      status: { code: 0 },
    });
    expect(span('invoke_agent atlas')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.usage.input_tokens': 200,
      'atlas.agent.steps': 2,
      'atlas.surface': 'api',
    });
    expect(span('chat scripted')).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai-compatible',
        'gen_ai.request.model': 'scripted',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 20,
        'gen_ai.response.finish_reasons': ['tool_calls'],
      },
    });
    expect(span('execute_tool executeSQL')?.attributes).toMatchObject({ 'gen_ai.tool.name': 'executeSQL' });
    expect(span('SELECT orders')).toMatchObject({
      kind: 3,
      attributes: {
        'db.system.name': 'sqlite',
        'db.operation.name': 'SELECT',
        'db.collection.name': 'orders',
        'atlas.sql.status': 'succeeded',
        'db.response.returned_rows': 2,
      },
    });
  });

  it('show content when asked to, never rows', async () => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url, content: true });
    await t.ask();
    await t[Symbol.asyncDispose]();
    const sent = Buffer.concat(collector.bodies).toString('utf8');
    for (const text of [QUESTION, ANSWER, SQL]) expect(sent).toContain(text);
    expect(sent).not.toMatch(/north/);
  });

  const CALLER = '0af7651916cd43dd8448eb211c80319c';
  it('go on with the trace of the caller', async () => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url, traceRatio: 0 });
    await t.ask({ traceparent: `00-${CALLER}-b7ad6b7169203331-01`, tracestate: 'vendor=1' });
    await t[Symbol.asyncDispose]();
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER]));
    expect(tree(collector.spans, 'b7ad6b7169203331')).toEqual(EXPECTED);
  });

  it.each([
    ['not sampled', `00-${CALLER}-b7ad6b7169203331-00`],
    ['below the ratio', undefined],
  ])('are left out: %s', async (_, traceparent) => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url, traceRatio: traceparent === undefined ? 0 : 1 });
    await t.ask(traceparent === undefined ? {} : { traceparent });
    await t[Symbol.asyncDispose]();
    expect(collector.spans).toEqual([]);
  });

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${CALLER}-${'0'.repeat(16)}-01`,
    `ff-${CALLER}-b7ad6b7169203331-01`,
    `00-${CALLER.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${CALLER}-b7ad6b7169203331-01-more`,
  ])('begin anew after the malformed traceparent %s', async (traceparent) => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url });
    await fetch(`${t.url}/things/1`, { headers: { traceparent } });
    await t[Symbol.asyncDispose]();
    expect(collector.spans).toMatchObject([{ name: 'GET /things/:id', parentId: '' }]);
    expect(collector.spans[0]?.traceId).not.toBe(CALLER);
  });

  it('mark what failed, without its words', async () => {
    await using collector = await startCollector();
    const t = await start(
      { endpoint: collector.url },
      { model: { script: [callSql("select 'Zebulon' from nowhere"), callSql('select down'), { text: 'No.' }] } },
    );
    expect((await t.ask()).status).toBe(503);
    expect((await fetch(`${t.url}/fails`)).status).toBe(500);
    expect((await fetch(`${t.url}/Zebulon/unknown`)).status).toBe(404);
    await t[Symbol.asyncDispose]();
    const told = collector.spans.map(({ name, status, attributes }) => [name, status, attributes['error.type']]);
    const error = { code: 2, message: '' };
    const fine = { code: 0, message: '' };
    expect(told).toEqual(
      expect.arrayContaining([
        ['SELECT', error, 'sql_failed'],
        ['execute_tool executeSQL', error, 'sql_failed'],
        ['SELECT', error, 'datasource_unavailable'],
        ['invoke_agent atlas', error, 'datasource_unavailable'],
        ['POST /api/v1/query', error, '503'],
        ['GET /fails', error, '500'],
        ['GET', fine, undefined],
      ]),
    );
    for (const body of collector.bodies) expect(body.toString('latin1')).not.toContain('Zebulon');
  });

  it('of a client that left end all the same', async () => {
    await using collector = await startCollector();
    const t = await start({ endpoint: collector.url }, { model: { script: [{ text: 'x', stall: true }] } });
    const left = new AbortController();
    const asked = fetch(`${t.url}/api/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
      signal: left.signal,
    });
    await expect.poll(() => t.model.requests.length).toBe(1);
    left.abort();
    await asked.catch(() => {});
    await expect.poll(() => t.app.lines.some(({ fields }) => fields.status === 499)).toBe(true);
    await t[Symbol.asyncDispose]();
    const request = collector.spans.find(({ kind }) => kind === 2);
    expect(request).toMatchObject({ name: 'POST /api/v1/query', attributes: { 'http.response.status_code': 499 } });
    expect(collector.spans.map(({ name }) => name)).toContain('invoke_agent atlas');
  });
});

describe('two apps in one process', () => {
  it('do not meet', async () => {
    await using one = await startCollector();
    await using two = await startCollector();
    const first = await start({ endpoint: one.url, serviceName: 'one' });
    const second = await start({ endpoint: two.url, serviceName: 'two' });
    await Promise.all([fetch(`${first.url}/things/1`), fetch(`${second.url}/fails`)]);
    await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
    expect(one.spans.map(({ name }) => name)).toEqual(['GET /things/:id']);
    expect(two.spans.map(({ name }) => name)).toEqual(['GET /fails']);
    expect(trace.getTracer('x').startSpan('y').isRecording()).toBe(false);
  });
});

describe('a collector that does not work', () => {
  it.each(['down', 'silent', 400] as const)('%s delays no request, and the stop not for long', async (how) => {
    await using collector = await startCollector(how);
    const t = await start({ endpoint: collector.url, intervalMs: 1_000 });
    for (let at = 0; at < 20; at += 1) expect((await fetch(`${t.url}/things/${at}`)).status).toBe(200);
    // A plugin that takes too long to close would make this reject.
    await t[Symbol.asyncDispose]();
  });

  it('is told of once, and once more when it works again', async () => {
    await using collector = await startCollector('down');
    const t = await start({ endpoint: collector.url, intervalMs: 1_000 });
    const told = () => t.app.lines.filter(({ plugin }) => plugin === 'telemetry-otel').map(({ level }) => level);
    await expect.poll(told, { timeout: 15_000, interval: 100 }).toEqual(['warn']);
    collector.status = 200;
    await expect.poll(told, { timeout: 15_000, interval: 100 }).toEqual(['warn', 'info']);
    await t[Symbol.asyncDispose]();
  });
});

describe('GET /api/v1/metrics', () => {
  const LINE =
    /^(#( (HELP|TYPE|UNIT) .+)?|[a-z_:][a-z0-9_:]*(\{([a-z_][a-z0-9_]*="[^"]*",?)*\})? (\+Inf|NaN|-?[\d.e+-]+))?$/i;

  it('is text for Prometheus, with few series and no content', async () => {
    await using t = await start({ metricsRoute: true, metricsPublic: true }, { plugins: USAGE });
    await t.ask();
    for (let id = 0; id < 30; id += 1) await fetch(`${t.url}/things/${id}`);
    for (let id = 0; id < 30; id += 1) await fetch(`${t.url}/Zebulon/${id}`, { method: id % 2 ? 'PUT' : 'DELETE' });
    const response = await fetch(`${t.url}/api/v1/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    for (const line of text.split('\n')) expect(line).toMatch(LINE);
    expect(text).toMatch(/http_server_request_duration_seconds_count\{[^}]*http_route="\/things\/:id"[^}]*\} 30\n/);
    expect(text).toMatch(/http_server_active_requests\{http_request_method="GET",url_scheme="http"\} 1\n/);
    expect(text).toMatch(/gen_ai_client_token_usage_sum\{[^}]*gen_ai_token_type="input"\} 200\n/);
    expect(text).toMatch(/atlas_gen_ai_client_cost_total\{[^}]*gen_ai_request_model="scripted"[^}]*\} 0\.00028\d*\n/);
    expect(text).toMatch(/atlas_budget_exhausted_total\{atlas_budget="question"\} 1\n/);
    expect(text).toMatch(/atlas_sql_settled_total\{[^}]*atlas_sql_status="succeeded"\} 1\n/);
    expect(text).toMatch(
      /atlas_hook_duration_seconds_count\{atlas_hook="datasource.execute",atlas_plugin="test-shop"\} 1\n/,
    );
    expect(text).toMatch(/process_memory_usage_bytes \d+/);
    expect(text).not.toMatch(/Zebulon|Xylophone|select region|tester/i);
    expect(text.match(/^http_server_request_duration_seconds_count/gm)?.length).toBeLessThan(6);
  });

  it('has the names, labels and only those that README and catalog list', async () => {
    const limits = sharedLimits({ redisUrl: 'redis://127.0.0.1:1' });
    await using t = await start({ metricsRoute: true, metricsPublic: true }, { plugins: [...USAGE, limits] });
    await t.ask();
    await t.app.get(sharedLimits).attempts('test').forget('nothing');
    const text = async () => (await fetch(`${t.url}/api/v1/metrics`)).text();
    const served = async () => [...(await text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name).sort();
    const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
    const listed = [...readme.matchAll(/^\| `([a-z0-9_.]+)` \| `([a-z0-9_]+)` \|/gm)];
    expect(listed.map(([, name]) => name).sort()).toEqual(Object.keys(METRICS).sort());
    for (const [, name, served] of listed) expect(served).toBe(prometheusName(name as MetricName));
    // The event loop's delay is there after its first measurement.
    const names = listed.map(([, , name]) => name);
    await expect.poll(served).toEqual([...names, 'target_info'].sort());
    const all = await text();
    for (const [name, { attributes }] of Object.entries(METRICS)) {
      const known = ['le', ...attributes.map((attribute) => attribute.replaceAll('.', '_'))];
      const series = all.matchAll(new RegExp(`^${prometheusName(name as MetricName)}(?:_\\w+)?\\{(.*)\\}`, 'gm'));
      const labels = [...series].flatMap(([, text = '']) => [...text.matchAll(/(\w+)="/g)].map(([, label]) => label));
      for (const label of new Set(labels)) expect(known, name).toContain(label);
    }
  });

  const keys = [
    authRoles(),
    authApiKey({
      keys: [
        { key: 'k'.repeat(32), role: 'analyst' },
        { key: 'a'.repeat(32), role: 'admin' },
      ],
    }),
  ];
  const status = async (url: string, key?: string) =>
    (await fetch(`${url}/api/v1/metrics`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } }))
      .status;

  async function guarded(options: Options) {
    return createTestApp({
      openGates: false,
      plugins: [telemetryOtel(options), http({ port: 0 }), ...keys],
    });
  }

  it('is for administrators', async () => {
    await using app = await guarded({ metricsRoute: true });
    const url = app.get(http).url();
    expect([await status(url), await status(url, 'k'.repeat(32)), await status(url, 'a'.repeat(32))]).toEqual([
      401, 403, 200,
    ]);
  });

  it('is for the bearer of its token, too, which opens nothing else', async () => {
    const metricsToken = 'm'.repeat(32);
    await using app = await guarded({ metricsRoute: true, metricsToken });
    const url = app.get(http).url();
    const given = [undefined, 'x'.repeat(32), 'k'.repeat(32), 'a'.repeat(32), metricsToken];
    expect(await Promise.all(given.map((key) => status(url, key)))).toEqual([401, 401, 403, 200, 200]);
    const credentials = { method: 'GET', headers: { authorization: `Bearer ${metricsToken}` }, ip: '::1' };
    for (const route of ['/api/v1/query', '/api/v1/metrics/']) {
      expect(await app.call(authResolve, { ...credentials, route }, app.scope())).toBeUndefined();
    }
  });
});

describe('off', () => {
  it('listens to nothing and taps nothing', async () => {
    await using t = await start({});
    expect(
      t.app
        .describe()
        .hooks.flatMap(({ taps }) => taps)
        .map(({ plugin }) => plugin),
    ).not.toContain('telemetry-otel');
    expect((await fetch(`${t.url}/api/v1/metrics`)).status).toBe(404);
    expect((await t.ask()).status).toBe(200);
  });

  it.each([
    [{ endpoint: 'collector:4318' }],
    [{ endpoint: 'grpc://c' }],
    [{ traceRatio: 2 }],
    [{ metricsToken: 'short' }],
  ])('%j does not start', async (options) => {
    await expect(createTestApp({ plugins: [telemetryOtel(options as Options)] })).rejects.toThrow(AtlasError);
  });

  it('names both variables that contradict each other', async () => {
    const plugins = [telemetryOtel({ metricsRoute: true, metricsPublic: true, metricsToken: 'm'.repeat(32) })];
    await expect(createTestApp({ plugins })).rejects.toThrow(/SVC_METRICS_PUBLIC or SVC_METRICS_TOKEN/);
  });
});
