/** One question, asked twenty times of a model that answers differently each time: what the model is told stays the same. */
import { expect, it } from 'vitest';
import { agent } from '../../plugins/agent/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';

const QUESTION = 'How many orders did customers place by country?';
/** What models write at a temperature of 0.7 for the same request. */
const VARIANTS = [
  'SELECT COUNT(*) AS n FROM orders',
  'SELECT c.country, COUNT(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.country',
  'SELECT country, COUNT(*) FROM customers GROUP BY country ORDER BY 2 DESC',
  'SELECT nothing FROM nowhere',
];

it('is told with the same bytes, however the model answered before and whatever was asked between', async () => {
  using folder = emptyFolder();
  const file = `${folder.path}/shop.db`;
  createSimpleDemo(file);
  let asked = 0;
  await using server = await startOpenAIServer({
    respond: ({ toolResults }) =>
      toolResults.length > 0
        ? { text: `Answer ${asked}.` }
        : { toolCall: { name: 'executeSQL', args: { sql: VARIANTS[asked % VARIANTS.length] } } },
  });
  const start = () =>
    createTestApp({
      now: new Date('2026-12-01T12:00:00Z'),
      plugins: [
        semanticLayer({ dir: DEMOS.simple.layer }),
        semanticQuery(),
        sqlLimits(),
        sqlGuard(),
        datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${file}` }] }),
        modelOpenai({
          provider: 'openai-compatible',
          baseUrl: server.url,
          model: 'scripted',
          temperature: 0.7,
          maxRetries: 0,
        }),
        agent(),
      ],
    });
  const prompts = new Set<string>();
  const answers = new Set<string>();
  for (let round = 0; round < 2; round += 1) {
    await using app = await start();
    const texts = new Set<string>();
    const ask = async (text: string) => {
      const first = server.requests.length;
      const { sql } = await app.get(agent).answer({ turns: [{ role: 'user', text }], surface: 'api' }, app.scope());
      asked += 1;
      return { request: server.requests[first]!, sql };
    };
    for (let time = 0; time < 10; time += 1) {
      const { request, sql } = await ask(QUESTION);
      expect(request.body).toMatchObject({ temperature: 0.7 });
      texts.add(request.text);
      answers.add(sql.join());
      await ask(`What is question number ${time} about products?`);
    }
    expect(texts.size).toBe(1);
    // Each server has marks of its own around data, which nobody can guess.
    for (const text of texts) prompts.add(text.replace(/\b[0-9a-f]{12}\b/g, 'mark'));
  }
  expect(answers.size).toBeGreaterThan(1);
  expect(prompts.size).toBe(1);
  // Of the layer, it holds what the question needs.
  expect([...prompts][0]).toMatch(/customer_id/);
}, 120_000);
