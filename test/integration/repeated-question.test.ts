/** One question, asked twenty times of a model that answers differently each time: what the model is told stays the same. */
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { composePreset } from '../../bin/compose.ts';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
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

/** The files of a folder in another one, written in the opposite order. */
function copyBackwards(from: string, to: string): void {
  for (const path of globSync('**/*.yml', { cwd: from }).sort().reverse()) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

it('is told with the same bytes, whatever was asked before, after a restart, and with the layer in another place', async () => {
  using folder = emptyFolder();
  const layer = join(folder.path, 'copied');
  copyBackwards(DEMOS.simple.layer, layer);
  const file = join(folder.path, 'shop.db');
  createSimpleDemo(file);
  let asked = 0;
  await using server = await startOpenAIServer({
    respond: ({ toolResults }) =>
      toolResults.length > 0
        ? { text: `Answer ${asked}.` }
        : { toolCall: { id: 'call', name: 'executeSQL', args: { sql: VARIANTS[asked % VARIANTS.length] } } },
  });
  const start = (layerDir: string, key = 'B'.repeat(43)) =>
    createTestApp({
      now: new Date('2026-12-01T12:00:00Z'),
      openGates: false,
      plugins: composePreset({
        ...{ PORT: '0', SVC_ENCRYPTION_KEY: key, DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}` },
        ...{ SVC_DATASOURCE_URL: `sqlite:${file}`, SVC_SEMANTIC_DIR: layerDir },
        ...{ SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: server.url, SVC_MODEL_TEMPERATURE: '0.7' },
      }).config.plugins,
    });
  type App = Awaited<ReturnType<typeof start>>;
  /** The requests to the model for one question. */
  async function ask(app: App, question: string) {
    const first = server.requests.length;
    const { statusCode } = await app.inject({ method: 'POST', url: '/api/v1/query', payload: { question } });
    expect(statusCode).toBe(200);
    return { requests: server.requests.slice(first), variant: asked++ % VARIANTS.length };
  }
  const prompts = new Set<string>();
  /** What follows on each variant. */
  const seconds = new Map<number, Set<string>>();
  for (const layerDir of [DEMOS.simple.layer, layer]) {
    await using app = await start(layerDir);
    for (let time = 0; time < 10; time += 1) {
      const { requests, variant } = await ask(app, QUESTION);
      const [first, second] = requests;
      expect(first!.body).toMatchObject({ temperature: 0.7 });
      prompts.add(first!.text);
      seconds.set(variant, (seconds.get(variant) ?? new Set()).add(second!.text));
      if (time % 3 === 0) await ask(app, `What is question number ${time} about products?`);
    }
  }
  expect(prompts.size).toBe(1);
  expect(seconds.size).toBe(VARIANTS.length);
  for (const [variant, texts] of seconds) expect(texts.size, VARIANTS[variant]).toBe(1);
  const [prompt = ''] = prompts;
  // Of the layer, it holds what the question needs.
  expect(prompt).toMatch(/customer_id/);
  // With another secret the marks around data are others, which nobody can guess, and nothing else.
  await using app = await start(layer, 'C'.repeat(43));
  const { requests } = await ask(app, QUESTION);
  const unmarked = (text: string) => text.replace(/\b[0-9a-f]{12}\b/g, 'mark');
  expect(requests[0]!.text).not.toBe(prompt);
  expect(unmarked(requests[0]!.text)).toBe(unmarked(prompt));
}, 120_000);
