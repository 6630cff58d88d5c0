/** What a language model is told of verified queries and may do with them, under row security and for each organization. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { verifiedQueries } from './index.ts';

const ORDERS = `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: region, sample_values: [north, south] }
  - { name: total, type: number, synonyms: [sales] }
  - { name: secret, hidden: true }
`;
const query = (name: string, question: string, sql: string, more = '') =>
  `name: ${name}\nquestion: ${question}\nsql: ${sql}\nverifiedBy: Ann\nverifiedAt: 2026-01-01\n${more}`;
const TOTAL = query(
  'total_of_region',
  'Total of {region}',
  'SELECT SUM(total) AS total FROM orders WHERE region = :region',
  'parameters: [{ name: region, type: value, values: [north, south] }]\n',
);

const folder = new SqliteFolder();
const layer = layerFolder({
  'entities/orders.yml': ORDERS,
  'verified/total_of_region.yml': TOTAL,
  'verified/secrets.yml': query('secrets', 'Total of the secrets', 'SELECT COUNT(secret) AS secrets FROM orders'),
  '.orgs/acme/entities/orders.yml': ORDERS,
  '.orgs/acme/verified/orders.yml': query('acme_orders', 'Orders of Acme', 'SELECT COUNT(*) AS orders FROM orders'),
  '.orgs/empty/entities/orders.yml': ORDERS,
});
const script: Step[] = [];
let provider: OpenAIServer;
let app: TestApp;

beforeAll(async () => {
  const url = `sqlite:${folder.create(
    'shop.db',
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, region TEXT, total REAL, secret TEXT);
    INSERT INTO orders VALUES (1, 'a', 'north', 5, 'x'), (2, 'a', 'south', 7, 'x'), (3, 'b', 'north', 100, 'x');`,
  )}`;
  provider = await startOpenAIServer({ respond: () => script.shift() ?? { text: 'Nothing is left.' } });
  app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      semanticQuery(),
      verifiedQueries(),
      sqlGuard(),
      rowSecurity({ claim: 'tenant', column: 'tenant' }),
      datasourceSqlite({ connections: [{ id: 'default', url }] }),
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url }),
      agent(),
    ],
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
  folder[Symbol.dispose]();
  layer[Symbol.dispose]();
});

async function ask(text: string, steps: readonly Step[], orgId: string | null = null) {
  const actor: Actor = { id: 'a', label: 'a', role: 'analyst', mode: 'test', claims: { tenant: 'a' } };
  script.splice(0, script.length, ...steps);
  const asked = provider.requests.length;
  const answer = await app
    .get(agent)
    .answer({ turns: [{ role: 'user', text }], surface: 'api' }, app.scope({ actor, orgId }));
  return { answer, requests: provider.requests.slice(asked) };
}

const call = (parameters?: object, name = 'total_of_region'): Step => ({
  toolCall: { name: 'answerVerified', args: { name, ...(parameters && { parameters }) } },
});

describe('a certain question', () => {
  it('is announced with the call, answered for the rows of the tenant, and labelled', async () => {
    const { answer, requests } = await ask('sales of north', [call({ region: 'north' }), { text: 'It is 5.' }]);
    expect(requests[0]?.question).toContain(
      '"Total of north" is answered by answerVerified with {"name":"total_of_region","parameters":{"region":"north"}}',
    );
    expect(answer.data.map(({ rows }) => rows)).toEqual([[{ total: 5 }]]);
    expect(answer.verified).toEqual({
      name: 'total_of_region',
      by: 'Ann',
      at: '2026-01-01',
      parameters: { region: 'north' },
    });
  });

  it('takes no other parameters than the question says', async () => {
    const { answer, requests } = await ask('Total of north', [call({ region: 'south' }), { text: 'No.' }]);
    expect(requests[1]?.toolResults[0]).toContain('The question says other parameters.');
    expect([answer.data, answer.verified]).toEqual([[], undefined]);
  });

  it('has no label when the model reads something else besides', async () => {
    const other: Step = { toolCall: { name: 'executeSQL', args: { sql: 'SELECT COUNT(*) AS n FROM orders' } } };
    const { answer } = await ask('Total of north', [call(), other, { text: 'It is 5, of 2 orders.' }]);
    expect([answer.data.length, answer.verified]).toEqual([2, undefined]);
  });
});

describe('any other question', () => {
  it('gets the query as an example, and no answer from it', async () => {
    const { answer, requests } = await ask('Total of north without returns', [call(), { text: 'I cannot tell.' }]);
    expect(requests[0]?.question).toContain('Example: Total of {region}\nSELECT SUM(total) AS total');
    expect(requests[0]?.question).not.toContain('secret');
    expect(requests[1]?.toolResults[0]).toContain(
      'It is not certain that the verified query \\"total_of_region\\" answers',
    );
    expect([answer.data, answer.verified]).toEqual([[], undefined]);
  });
});

describe('organizations', () => {
  it('have the queries of their own layer, and no tool where it has none', async () => {
    const own = await ask('Orders of Acme', [call({}, 'acme_orders'), { text: 'Two.' }], 'acme');
    expect(own.answer.verified?.name).toBe('acme_orders');
    expect((await ask('Orders of Acme', [{ text: 'No.' }])).requests[0]?.question).not.toContain('acme_orders');
    const { requests } = await ask('Total of north', [{ text: 'No.' }], 'empty');
    expect(requests[0]?.tools).not.toContain('answerVerified');
    expect(requests[0]?.text).not.toContain('Verified queries');
  });
});
