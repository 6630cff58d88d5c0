/** Charts of results: chosen beside the rows, changed by the model, and the same in the answer, the stream, storage and shares. */
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type BuiltInServer, startBuiltIn } from '../../test/harness/built-in-server.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { type AgentEvent, agent, shownTable } from '../agent/index.ts';
import { AGGREGATES, FORMATS, MARKS, MAX_MEASURES, MAX_TITLE, SORTS } from '../chart-kit/index.ts';
import { createSimpleDemo } from '../demo-data/index.ts';
import { ChartSpec } from '../query-api/index.ts';
import { charts } from './index.ts';

pluginContract('charts', () => charts());

const BY_REGION = 'select region, sum(amount) as revenue from orders group by region';
const BARS = { mark: 'bar', x: 'region', y: ['revenue'], aggregate: 'sum', sort: 'value', stack: false };
const showChart = (args: object): Step => ({ toolCall: { name: 'showChart', args } });
const DONE: Step = { text: 'There it is.' };

async function asked(steps: readonly Step[], options: Parameters<typeof charts>[0] = { tool: true }) {
  await using scripted = await scriptedApp([...steps, DONE], { plugins: [charts(options)] });
  const { app, server } = scripted;
  const events: AgentEvent[] = [];
  const question = { turns: [{ role: 'user', text: 'Show revenue by region' }], surface: 'api' } as const;
  const answer = await app.get(agent).answer(question, app.scope(), (event) => void events.push(event));
  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event] : []));
  const told = server.requests.flatMap(({ toolResults }) => toolResults.slice(-1)).map((text) => JSON.parse(text));
  return { answer, results, told, charts: answer.data.map((table) => Object(shownTable(table)).chart), server };
}

describe('a result', () => {
  it('has the chart that fits its columns, in the answer and its events', async () => {
    const { charts: given, results, server } = await asked([callSql(BY_REGION)]);
    expect(given).toEqual([BARS]);
    expect(results[0]?.statement?.about).toEqual({ chart: BARS });
    expect(Value.Check(ChartSpec, given[0])).toBe(true);
    expect(server.requests[1]?.toolResults.join()).not.toContain('chart');
  });

  it.each([
    'select count(*) as n from orders',
    "select 'a' as region, 1 as n",
    'select id from orders limit 9',
    'select region, amount from orders where 1 = 0',
  ])('of %s has none', async (sql) => {
    const { answer } = await asked([callSql(sql)]);
    expect(answer.data).toHaveLength(1);
    expect(answer.data[0]).not.toHaveProperty('about');
  });

  it('of a statement that a caller wrote has one, too', async () => {
    await using scripted = await scriptedApp([], { plugins: [charts()] });
    const { app } = scripted;
    const { table, release } = await app.get(agent).runStatement({ sql: BY_REGION, surface: 'api' }, app.scope());
    expect(table.about).toEqual({ chart: BARS });
    release();
  });
});

describe('showChart', () => {
  it('is not offered unless it is wanted, and takes at most 600 bytes of a prompt', async () => {
    const off = await asked([callSql(BY_REGION)], {});
    expect(off.server.requests[0]?.tools).not.toContain('showChart');
    const { server } = await asked([callSql(BY_REGION)]);
    const { tools = [] } = JSON.parse(server.requests[0]?.text ?? '{}') as { tools?: { function: { name: string } }[] };
    const tool = tools.find((one) => one.function.name === 'showChart');
    expect(tool).toBeDefined();
    expect(Buffer.byteLength(JSON.stringify(tool))).toBeLessThanOrEqual(600);
  });

  it('changes the chart of the last result, and readers of the stream are told', async () => {
    const wanted = { mark: 'pie', title: 'Revenue' };
    const { charts: given, results, told } = await asked([callSql(BY_REGION), showChart(wanted)]);
    const pie = { ...BARS, mark: 'pie', title: 'Revenue' };
    expect(given).toEqual([pie]);
    const [first, second] = results;
    expect(first?.statement?.about).toEqual({ chart: BARS });
    expect(second?.statement).toEqual({ ...first?.statement, about: { chart: pie } });
    expect(told[1]).toMatchObject({ chart: pie });
  });

  it('of several results changes the last, also where it was asked for in the step of another', async () => {
    const both: Step = {
      toolCalls: [
        { name: 'executeSQL', args: { sql: 'select count(*) as n from orders' } },
        { name: 'showChart', args: { mark: 'pie' } },
      ],
    };
    const { charts: given, results } = await asked([callSql(BY_REGION), both]);
    expect(given).toEqual([{ ...BARS, mark: 'pie' }, undefined]);
    expect(results.map(({ statement }) => statement?.toolCallId)).toEqual([
      results[0]?.toolCallId,
      results[1]?.toolCallId,
      results[0]?.toolCallId,
    ]);
  });

  it.each([
    [{ x: 'town' }, 'The last result has no column "town".', 'Its columns are "region", "revenue", "note".'],
    [{ y: ['region'] }, 'The column "region" holds no numbers, so it cannot be y.', 'Those are: "revenue".'],
    [{ series: 'revenue' }, 'The column "revenue" cannot be series.', 'It takes texts.'],
    [{ y: ['revenue', 'revenue', 'revenue', 'revenue', 'revenue'] }, 'A chart shows at most 4 columns as y.', ''],
    [{ series: 'region', y: ['revenue', 'revenue'] }, 'A chart with series takes one y.', ''],
    [{ mark: 'pie', x: 'region' }, 'A pie cannot show values below zero. Choose bars instead.', ''],
    [{ x: 'note' }, 'The column "note" cannot be x.', 'It takes dates, texts or numbers.'],
    [{ mark: 'map' }, 'mark', ''],
  ])('refuses %j in a sentence', async (wanted, error, hint) => {
    const sql = 'select region, -sum(amount) as revenue, null as note from orders group by region';
    const { charts: given, told } = await asked([callSql(sql), showChart(wanted)]);
    expect(told[1].error).toContain(error);
    expect(told[1].hint).toContain(hint);
    expect(given).toEqual([expect.objectContaining({ mark: 'bar', x: 'region', y: ['revenue'] })]);
  });

  it('without a result says so, and makes a chart where none was chosen', async () => {
    const { told } = await asked([showChart({ mark: 'pie' })]);
    expect(told[0]).toEqual({ error: 'There is no result yet that a chart could show.', hint: 'Get the rows first.' });
    const one = await asked([callSql(`${BY_REGION} limit 1`), showChart({ x: 'region', y: ['revenue'] })]);
    expect(one.charts).toEqual([BARS]);
  });

  it('keeps what it is not asked to change, and lets the rest follow', async () => {
    const sql = `select region, case id % 4 when 0 then 'a' else 'b' end as kind, sum(amount) as revenue from orders group by 1, 2`;
    const { charts: given } = await asked([
      callSql(sql),
      showChart({ series: 'kind', stack: false, title: 'x'.repeat(500), sort: 'rows' }),
      showChart({ mark: 'area' }),
    ]);
    expect(given).toEqual([
      { ...BARS, mark: 'area', series: 'kind', sort: 'rows', stack: true, title: 'x'.repeat(MAX_TITLE) },
    ]);
    expect(Value.Check(ChartSpec, given[0])).toBe(true);
  });
});

it('the schema of the interface has the words and limits of the kit, and is closed', () => {
  const { mark, aggregate, sort, format, y, title } = ChartSpec.properties;
  const wordsOf = (union: { readonly anyOf: readonly { readonly const: unknown }[] }) =>
    union.anyOf.map((one) => one.const);
  expect([mark, aggregate, sort, format].map(wordsOf)).toEqual([MARKS, AGGREGATES, SORTS, FORMATS]);
  expect([y.maxItems, title.maxLength]).toEqual([MAX_MEASURES, MAX_TITLE]);
  for (const more of [
    { url: 'https://x.example' },
    { expr: '1' },
    { mark: 'script' },
    { x: '' },
    { x: 'a'.repeat(201) },
  ])
    expect(Value.Check(ChartSpec, { ...BARS, ...more })).toBe(false);
});

describe('in the built-in composition', () => {
  const folder = emptyFolder();
  let steps: Step[] = [];
  let provider: OpenAIServer;
  let server: BuiltInServer;
  beforeAll(async () => {
    await createSimpleDemo(join(folder.path, 'shop.db'));
    provider = await startOpenAIServer({ respond: () => steps.shift() ?? DONE });
    server = await startBuiltIn({
      SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
      SVC_SEMANTIC_DIR: join(import.meta.dirname, '../../semantic'),
      DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: provider.url,
      SVC_MODEL: 'scripted',
      SVC_CHARTS_TOOL: 'true',
    });
  }, 60_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await provider?.close();
    folder[Symbol.dispose]();
  });

  async function send(path: string, body?: object) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return fetch(new URL(path, server.url), body === undefined ? {} : init);
  }
  const ORDERS = 'select status, count(*) as n from orders group by status';
  const chart = (mark: string) => expect.objectContaining({ mark, x: 'status', y: ['n'] });

  it('the chart of an answer is in its reply, its stream, its storage and its share', async () => {
    steps = [callSql(ORDERS), showChart({ mark: 'pie' })];
    const asked = (await (await send('/api/v1/query', { question: 'Orders by status' })).json()) as {
      conversationId: string;
      data: object[];
    };
    expect(asked.data).toMatchObject([{ chart: chart('pie') }]);

    steps = [callSql(ORDERS), showChart({ mark: 'line' })];
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Orders by status' }] }];
    const stream = await (await send('/api/v1/chat?stream=ui', { messages })).text();
    const facts = stream.split('\n\n').flatMap((line) => {
      const part = line.startsWith('data: {') ? JSON.parse(line.slice(6)) : {};
      return part.type === 'data-statement' ? [part.data] : [];
    });
    expect(facts.map(({ about }) => about.chart.mark)).toEqual(['bar', 'line']);
    expect(new Set(facts.map(({ toolCallId }) => toolCallId)).size).toBe(1);

    const { conversationId } = asked;
    const stored = (await (await send(`/api/v1/conversations/${conversationId}`)).json()) as {
      messages: { id: string; content: { parts: { type: string; data?: { about?: object } }[] } }[];
    };
    const last = stored.messages.at(-1);
    const parts = last?.content.parts.filter(({ type }) => type === 'data-statement') ?? [];
    expect(parts.at(-1)?.data?.about).toMatchObject({ chart: chart('pie') });

    const shared = await send('/api/v1/shares', { conversationId, messageId: last?.id });
    const { id } = (await shared.json()) as { id: string };
    const ran = (await (await send(`/api/v1/shares/${id}/run`, {})).json()) as { data: object[] };
    expect(ran.data).toMatchObject([{ chart: chart('pie') }]);
  });

  it('a statement has its chart', async () => {
    const reply = (await (await send('/api/v1/sql', { sql: ORDERS })).json()) as object;
    expect(reply).toMatchObject({ chart: chart('bar') });
  });
});
