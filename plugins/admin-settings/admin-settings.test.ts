import { expect, it } from 'vitest';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { NOW } from '../../test/harness/token-issuer.ts';

const PATH = '/api/v1/admin/settings';

const start = (env: Readonly<Record<string, string>>) =>
  createTestApp({
    plugins: selfHosted(readEnv({ PORT: '0', SVC_PROVIDER: 'offline', ...env }).env),
    openGates: false,
    now: NOW,
  });

it('administrators see the settings and no secret; analysts and strangers see none', async () => {
  await using app = await start({
    SVC_API_KEY: 'CANARY-of-the-server',
    SVC_API_KEY_ROLE: 'admin',
    SVC_ROW_LIMIT: '77',
  });
  const ask = (headers: Record<string, string>) => app.inject({ method: 'GET', url: PATH, headers });
  const { statusCode, body } = await ask({ authorization: 'Bearer CANARY-of-the-server' });
  expect(statusCode).toBe(200);
  expect(body).not.toContain('CANARY');
  expect(JSON.parse(body).settings).toContainEqual(
    expect.objectContaining({ name: 'SVC_ROW_LIMIT', value: '77', source: 'environment' }),
  );
  expect((await ask({})).statusCode).toBe(401);
  await using analysts = await start({ SVC_API_KEY: 'a'.repeat(20) });
  const headers = { authorization: `Bearer ${'a'.repeat(20)}` };
  expect((await analysts.inject({ method: 'GET', url: PATH, headers })).statusCode).toBe(403);
});
