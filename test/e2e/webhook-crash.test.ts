/** A question whose server is killed is asked again after the restart, and its callback comes once. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, serve } from '../harness/command.ts';
import { startHttpReceiver } from '../harness/http-receiver.ts';

const NODE_MODULES = join(import.meta.dirname, '../../node_modules');

const CONFIG = `
import { defineConfig } from 'atlas-query';
import { authNone } from 'atlas-query/plugins/auth-none';
import { http } from 'atlas-query/plugins/http';
import { internalDb } from 'atlas-query/plugins/internal-db';
import { jobs } from 'atlas-query/plugins/jobs';
import { outbound } from 'atlas-query/plugins/outbound';
import { webhookInteraction } from 'atlas-query/plugins/webhook-interaction';

const { RECEIVER, HANGS } = process.env;
// Says that it has begun, and then takes until the server is killed.
const executeQuery = async (query) => {
  if (HANGS !== undefined) {
    await fetch(RECEIVER + '/begun', { method: 'POST' });
    await new Promise(() => {});
  }
  return { answer: 'Answer to ' + query };
};

export default defineConfig({
  plugins: [
    http({ port: 0 }),
    authNone(),
    internalDb({ url: 'sqlite:atlas.db' }),
    jobs({ leaseMs: 10_000 }),
    outbound({ allowPrivate: [new URL(RECEIVER).host] }),
    webhookInteraction({ channels: [{ channelId: 'a', authType: 'api-key', secret: 's3cret' }], executeQuery }),
  ],
});
`;

it('an accepted question survives a server that is killed', { timeout: 60_000 }, async () => {
  using folder = emptyFolder();
  symlinkSync(NODE_MODULES, join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'atlas.config.ts'), CONFIG);
  await using receiver = await startHttpReceiver();
  const env = { RECEIVER: receiver.url };
  const killed = await serve({ cwd: folder.path, env: { ...env, HANGS: '1' } });
  const accepted = await fetch(`${killed.url}/api/plugins/webhook-interaction/webhook/a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-secret': 's3cret' },
    body: JSON.stringify({ query: 'q', callbackUrl: `${receiver.url}/callback` }),
  });
  expect(accepted.status).toBe(202);
  const { requestId } = (await accepted.json()) as { requestId: string };
  await expect.poll(() => receiver.received.map(({ url }) => url)).toEqual(['/begun']);
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended;

  await using _server = await serve({ cwd: folder.path, env });
  await expect.poll(() => receiver.received.length, { timeout: 40_000 }).toBe(2);
  const callback = receiver.received[1];
  expect([callback?.url, JSON.parse(callback?.body ?? '')]).toEqual([
    '/callback',
    { requestId, success: true, result: { answer: 'Answer to q', sql: [], columns: [], rows: [] } },
  ]);
});
