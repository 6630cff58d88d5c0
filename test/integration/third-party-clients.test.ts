/** Programs of others against a server: the authentication library's own client, and Prometheus' checker. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { suiteNeeding } from '../harness/require.ts';
import { findTool } from '../harness/tools.ts';

const folder = emptyFolder();
let server: BuiltInServer;
beforeAll(async () => {
  const shop = join(folder.path, 'shop.db');
  await createSimpleDemo(shop);
  server = await startBuiltIn({
    SVC_DATASOURCE_URL: `sqlite:${shop}`,
    SVC_SEMANTIC_DIR: './semantic',
    DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
    AUTHLIB_SECRET: 'a secret of more than thirty-two characters',
    SVC_METRICS_ENABLED: 'true',
    SVC_METRICS_TOKEN: 'm'.repeat(32),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const promtool = findTool('promtool');
suiteNeeding(
  'promtool',
  promtool !== undefined,
  'Install promtool, which comes with Prometheus.',
)('promtool', () => {
  it('finds nothing wrong with the metrics', async () => {
    await fetch(`${server.url}/api/v1/query`, { method: 'POST' });
    const response = await fetch(`${server.url}/api/v1/metrics`, {
      headers: { authorization: `Bearer ${'m'.repeat(32)}` },
    });
    const metrics = await response.text();
    expect(metrics).toContain('http_server_request_duration_seconds_bucket');
    const check = spawnSync(promtool ?? '', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(check.stdout + check.stderr).toBe('');
    expect(check.status).toBe(0);
  });
});
