/** Where readers find why a result is empty: in the text, and beside the rows of each surface. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { demoPlugins } from '../../test/harness/demo-plugins.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { grounding } from '../grounding/index.ts';
import { mcp } from '../mcp/index.ts';
import { queryApi } from '../query-api/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { type Explanation, emptyResults } from './index.ts';

const TEXT =
  'One filter leaves nothing: ordered at of orders is from 2031-01-01 up to, not including, 2032-01-01. There are rows from 2024-11-01 to 2026-10-31, by ordered at.';
const EXPLANATION = {
  text: TEXT,
  filters: ['ordered at of orders is from 2031-01-01 up to, not including, 2032-01-01'],
  period: { column: 'orders.ordered_at', from: '2024-11-01', to: '2026-10-31' },
};

interface Reply {
  readonly answer: string;
  readonly outcome: string;
  readonly notes: readonly object[];
  readonly data: readonly { readonly explanation?: Explanation }[];
}

/** The longest that there is, for a machine that does other work. */
const PATIENT = { timeoutMs: 4_000 };

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ plugins: [...demoPlugins(), grounding(), emptyResults(PATIENT), queryApi(), mcp()] });
});
afterAll(() => app?.close());

const post = (url: string, payload: object) =>
  app.inject({ method: 'POST', url, payload, headers: { accept: 'application/json, text/event-stream' } });

test.each([
  ['Revenue in 2031', 'There is no value: no rows match, or none has one.'],
  ['Orders in 2031', 'Count: 0.'],
  ['Revenue by region in 2031', 'No rows match.'],
])('the offline reader says it: %s', async (question, result) => {
  const { answer, outcome, notes, data } = (await post('/api/v1/query', { question })).json<Reply>();
  expect(answer).toContain(`${result} ${TEXT}\n\nRead as: `);
  expect([outcome, notes, data[0]?.explanation]).toEqual(['answered', [], EXPLANATION]);
});

it('a model is told it with the result', async () => {
  using layer = layerFolder({ 'entities/orders.yml': 'table: orders\ndimensions: [{ name: region }]' });
  const sql = "select id from orders where region = 'nort'";
  await using scripted = await scriptedApp([callSql(sql), { text: 'None.' }], {
    plugins: [semanticLayer({ dir: layer.dir }), emptyResults(PATIENT)],
  });
  const { app: asked, server } = scripted;
  await asked.get(agent).answer({ turns: [{ role: 'user', text: 'Which?' }], surface: 'api' }, asked.scope());
  expect(server.requests[1]?.toolResults.map((text) => JSON.parse(text).notes)).toEqual([
    ['One filter leaves nothing: region of orders is nort. Near values of region: "north".'],
  ]);
});

it('is no part of an answer with rows', async () => {
  const { answer, data } = (await post('/api/v1/query', { question: 'Orders in 2025' })).json<Reply>();
  expect(answer).toMatch(/^Count: [\d,]+\.\n\nRead as/);
  expect(data[0]).not.toHaveProperty('explanation');
});

it('is a fact of the statement in a stream', async () => {
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Orders in 2031' }] }];
  const { body } = await post('/api/v1/chat?stream=ui', { messages });
  const facts = /data: (\{"type":"data-statement".*)/.exec(body)?.[1] ?? '{}';
  expect(JSON.parse(facts).data.about).toEqual({ explanation: EXPLANATION });
});

it('is a field of a statement that a caller wrote, and of a tool of MCP', async () => {
  const sql = "SELECT id FROM orders WHERE ordered_at >= '2031-01-01' AND ordered_at < '2032-01-01'";
  expect((await post('/api/v1/sql', { sql })).json()).toMatchObject({ rows: [], explanation: EXPLANATION });
  const params = { name: 'query_sql', arguments: { sql } };
  const { body } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(body).toContain('leaves nothing: ordered at of orders is from 2031-01-01');
});
