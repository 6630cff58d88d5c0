/** An approved statement runs once for its requester although the server that approved it is killed. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { type OpenAIServer, startOpenAIServer } from '../harness/openai-server.ts';

/** Approved statements wait as long as the file `hold` is there. */
const CONFIG = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineConfig, definePlugin, sqlBefore } from 'atlas-query/kernel';
import { actions } from 'atlas-query/plugins/actions';
import { selfHosted } from 'atlas-query/presets/self-hosted';

const holding = definePlugin({
  name: 'test-holding',
  version: '1.0.0',
  type: 'policy',
  description: 'Holds approved statements.',
  setup(ctx) {
    ctx.tap(sqlBefore, async (statement, scope) => {
      while (statement.surface === 'approval' && existsSync('hold') && !scope.signal.aborted) {
        writeFileSync('held', '');
        await setTimeout(20);
      }
      return statement;
    }, { stage: 'pre' });
  },
});

const plugins = selfHosted().map((entry) =>
  entry.definition === actions.definition ? actions({ timeoutMs: 2_000 }) : entry,
);
export default defineConfig({ plugins: [...plugins, holding()] });
`;
const SQL = 'SELECT count(*) AS n FROM boats';
const folder = emptyFolder();
const path = (name: string) => join(folder.path, name);
let model: OpenAIServer;
beforeAll(async () => {
  createFleet(folder.path);
  writeFileSync(path('atlas.config.ts'), CONFIG);
  model = await startOpenAIServer({
    respond: ({ toolResults }) =>
      toolResults.length > 0 ? { text: 'Done.' } : { toolCall: { name: 'executeSQL', args: { sql: SQL } } },
  });
}, 60_000);
afterAll(async () => {
  await model.close();
  folder[Symbol.dispose]();
});

const start = () =>
  serve({
    cwd: folder.path,
    env: {
      ...FLEET,
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: model.url,
      SVC_MODEL: 'm',
      SVC_ACTIONS_ENABLED: 'true',
      DATABASE_URL: `sqlite:${path('atlas.db')}`,
      SVC_LOG_LEVEL: 'error',
    },
  });

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
async function send(server: { url: string }, url: string, body?: object, method = body ? 'POST' : 'GET'): Promise<any> {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(new URL(url, server.url), { method, ...json })).json();
}

it('is taken up by the server that starts next', { timeout: 120_000 }, async () => {
  const first = await start();
  await send(first, '/api/v1/admin/approval/rules', { name: 'All', ruleType: 'datasource', pattern: '*' });
  const [pending] = (await send(first, '/api/v1/query', { question: 'How many?' })).pendingActions;
  writeFileSync(path('hold'), '');
  const approving = send(first, `/api/v1/actions/${pending.id}/approve`, undefined, 'POST').catch(() => 'cut off');
  await expect.poll(() => existsSync(path('held'))).toBe(true);
  process.kill(first.pid, 'SIGKILL');
  expect(await approving).toBe('cut off');
  await first.ended;
  rmSync(path('hold'));

  await using second = await start();
  const see = () => send(second, `/api/v1/actions/${pending.id}`);
  expect(await see()).toMatchObject({ status: 'approved', result: null });
  await expect.poll(async () => (await see()).status, { timeout: 60_000 }).toBe('executed');
  const { result, history } = await see();
  expect(result).toMatchObject({ columns: ['n'], rowCount: 1, truncated: false });
  expect(history.map(({ move }: { move: string }) => move)).toEqual(['requested', 'approved', 'resumed', 'executed']);
  const { entries } = await send(second, '/api/v1/admin/audit?success=true&limit=200');
  expect(entries.filter(({ surface }: { surface: string }) => surface === 'approval')).toMatchObject([{ rowCount: 1 }]);
  // The rule holds after the restart, too, and the approval was for once.
  const again = await send(second, '/api/v1/query', { question: 'How many?' });
  expect(again.pendingActions[0].id).not.toBe(pending.id);
});
