import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';
import { rateLimit } from './index.ts';

const LIMIT = 60;

const route: Route = {
  method: 'GET',
  path: '/asked',
  summary: 'A route.',
  tag: 'Test',
  right: 'public',
  responses: { 200: Type.Unknown() },
  handle: () => ({ body: {} }),
};

const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Has a route.',
  setup: (ctx) => ctx.tap(httpRoutes, () => [route]),
});

it('requests at one server count at the other, by what each knows of the other', async () => {
  const url = await createPostgresDatabase();
  const start = () =>
    createTestApp({
      plugins: [
        http({ port: 0, trustProxy: true }),
        internalDb({ url }),
        sharedLimits({ exchangeMs: 50 }),
        rateLimit({ requestsPerMinute: LIMIT }),
        routes(),
      ],
    });
  await using one = await start();
  await using two = await start();
  const ask = (app: typeof one, ip = '192.0.2.1') =>
    app.inject({ method: 'GET', url: '/asked', headers: { 'x-forwarded-for': ip } });
  for (let count = 0; count < LIMIT; count += 1) expect((await ask(one)).statusCode).toBe(200);
  expect((await ask(one)).statusCode).toBe(429);
  let passed = 0;
  const refusal = async () => {
    const { statusCode, headers } = await ask(two);
    if (statusCode === 200) passed += 1;
    return statusCode === 429 ? Number(headers['retry-after']) : 0;
  };
  await expect.poll(refusal, { interval: 100 }).toBeGreaterThan(0);
  expect(passed).toBeLessThan(LIMIT);
  expect(await refusal()).toBeLessThanOrEqual(62);
  expect((await ask(two, '192.0.2.2')).statusCode).toBe(200);
});
