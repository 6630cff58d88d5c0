import { createTestApp, demoPlugins, interactionContract, pluginContract } from 'atlas-query/testing';
import { expect, it } from 'vitest';
import { templateInteraction } from '../src/index.ts';

const address = (question: string) =>
  `/api/plugins/template-interaction/answer.csv?question=${encodeURIComponent(question)}`;

pluginContract('template-interaction', () => templateInteraction(), { with: demoPlugins });

interactionContract('template-interaction', () => ({
  plugin: templateInteraction(),
  requests: [{ request: { method: 'GET', url: address('How many orders by status?') }, says: 'completed' }],
  invalidRequests: [
    { method: 'GET', url: '/api/plugins/template-interaction/answer.csv' },
    { method: 'GET', url: address('') },
    { method: 'GET', url: `${address('How many orders?')}&limit=1` },
  ],
}));

it('gives no more rows than its option allows', async () => {
  await using app = await createTestApp({ plugins: [...demoPlugins(), templateInteraction({ maxRows: 2 })] });
  const { body } = await app.inject({ method: 'GET', url: address('How many orders by status?') });
  expect(body.trim().split('\r\n')).toHaveLength(3);
});

it('says what it cannot answer', async () => {
  await using app = await createTestApp({ plugins: [...demoPlugins(), templateInteraction()] });
  const { statusCode, body } = await app.inject({ method: 'GET', url: address('What is the meaning of life?') });
  expect([statusCode, JSON.parse(body)]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
});
