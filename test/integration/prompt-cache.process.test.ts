/** What prompt caches of providers can keep between questions, through agent, semantic layer and provider package. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { generateLayer, writeLayer } from '../harness/generate-layer.ts';
import { type LayerFolder, layerFolder } from '../harness/layer-folder.ts';
import { scriptedApp } from '../harness/scripted-agent.ts';

const DEMO = new URL('../../semantic', import.meta.url).pathname;
const layers: Record<string, { folder?: LayerFolder; dir: string; questions: string[] }> = {
  demo: { dir: DEMO, questions: ['How many orders were there?', 'Which product sold best in May?'] },
};

beforeAll(() => {
  for (const size of [50, 500]) {
    const folder = layerFolder();
    const layer = generateLayer(size, 8);
    writeLayer(folder.dir, layer);
    layers[size] = { folder, dir: folder.dir, questions: layer.questions.map(({ question }) => question) };
  }
});
afterAll(() => {
  for (const { folder } of Object.values(layers)) folder?.[Symbol.dispose]();
});

/** The model's requests for the first call of each question. */
async function requestsFor(dir: string, questions: readonly string[], orgIds: readonly (string | null)[] = [null]) {
  const plugins: PluginEntry[] = [semanticLayer({ dir }), semanticQuery()];
  await using scripted = await scriptedApp(() => ({ text: 'Some.' }), { plugins });
  const { app, server } = scripted;
  for (const [index, text] of questions.entries()) {
    const scope = app.scope();
    scope.identify(scope.actor, orgIds[index % orgIds.length]);
    await app.get(agent).answer({ turns: [{ role: 'user', text }], surface: 'api' }, scope);
  }
  return server.requests.map(({ body }) => body);
}

function common(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at / Math.max(left.length, right.length);
}

describe.each(['demo', '50', '500'])('a layer of %s', (size) => {
  test('gives every question the same tools and the same messages before it', async () => {
    const { dir, questions } = layers[size]!;
    const bodies = await requestsFor(dir, questions);
    expect(bodies).toHaveLength(questions.length);
    const [first] = bodies;
    for (const [index, { messages = [], tools }] of bodies.entries()) {
      expect(JSON.stringify(tools)).toBe(JSON.stringify(first?.tools));
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(messages[0]).toEqual(first?.messages?.[0]);
      expect(String(messages[1]?.content).endsWith(questions[index]!)).toBe(true);
      // The tables of the question come last.
      expect(common(JSON.stringify(messages), JSON.stringify(first?.messages))).toBeGreaterThanOrEqual(0.4);
    }
  });
});

test('the organization decides what is the same', async () => {
  using folder = layerFolder({
    'entities/orders.yml': 'table: orders\ndimensions: [{ name: amount, type: number }]\n',
    '.orgs/acme/entities/orders.yml': 'table: orders\ndimensions: [{ name: amount, type: number, hidden: true }]\n',
  });
  const bodies = await requestsFor(folder.dir, ['One?', 'Two?', 'Three?', 'Four?'], [null, 'acme']);
  const [shared, acme, ...again] = bodies.map(({ messages }) => JSON.stringify(messages?.[0]));
  expect(again).toEqual([shared, acme]);
  expect(shared).toContain('amount');
  expect(acme).not.toContain('amount');
});
