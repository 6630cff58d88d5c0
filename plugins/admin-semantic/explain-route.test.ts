import { expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { authNone } from '../auth-none/index.ts';
import { http } from '../http/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { adminSemantic } from './index.ts';

it('shows what a model would be sent, and why, without asking it', async () => {
  using folder = layerFolder({
    'entities/orders.yml': 'table: orders\ndimensions:\n  - { name: card, hidden: true }\n  - { name: region }\n',
  });
  await using app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      authNone(),
      testShop(),
      agent(),
      // Nothing listens there: a call would fail.
      modelOpenai({ provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', model: 'none' }),
      semanticLayer({ dir: folder.dir }),
      adminSemantic(),
    ],
  });
  const explain = (payload: object) => app.inject({ method: 'POST', url: '/api/v1/admin/semantic/explain', payload });
  const reply = await explain({ question: 'How many orders by region?' });
  expect(reply.statusCode).toBe(200);
  const { model, bytes, parts, entities } = reply.json<{
    model: string;
    bytes: number;
    parts: { title: string; text: string; bytes: number }[];
    entities: object[];
  }>();
  expect(model).toMatch(/none$/);
  expect(parts.map(({ title }) => title)).toEqual(['tools', 'instructions', 'user']);
  expect(bytes).toBe(parts.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0));
  expect(parts[1]?.text).toContain('- region (string)');
  expect(parts[2]?.text).toContain('How many orders by region?');
  expect(reply.body).not.toContain('card');
  expect(entities).toEqual([{ name: 'orders', score: expect.any(Number), bytes: expect.any(Number) }]);
  expect(await explain({ question: ' ' })).toMatchObject({ statusCode: 400 });
  expect(await explain({ question: 'How many?', connectionId: 'nowhere' })).toMatchObject({ statusCode: 400 });
});

it('is not there without an agent', async () => {
  using folder = layerFolder({ 'entities/orders.yml': 'table: orders\n' });
  await using app = await createTestApp({
    plugins: [http({ port: 0 }), authNone(), semanticLayer({ dir: folder.dir }), adminSemantic()],
  });
  const url = '/api/v1/admin/semantic/explain';
  expect((await app.inject({ method: 'POST', url, payload: { question: 'x' } })).statusCode).toBe(404);
});
