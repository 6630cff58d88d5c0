/** Servers that are killed in the middle of a scheduled question, in the built-in composition. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { startHttpReceiver } from '../harness/http-receiver.ts';
import { chosenEngines, type TestEngine } from '../harness/internal-databases.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';

const TASKS = '/api/v1/scheduled-tasks';

interface Run {
  readonly status: string;
  readonly deliveryStatus: string | null;
}

async function call<T>(server: RunningServer, path: string, body?: object): Promise<T> {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

describe.each(chosenEngines)('a scheduled question on %s', (_, engine) => {
  const folder = emptyFolder();
  let databases: TestEngine;
  beforeAll(async () => {
    createFleet(folder.path);
    databases = await engine();
  }, 60_000);
  afterAll(async () => {
    await databases[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('is answered and delivered once by another server when its own is killed', { timeout: 120_000 }, async () => {
    await using receiver = await startHttpReceiver();
    let isStalled = true;
    let asked = 0;
    await using model = await startOpenAIServer({
      respond: () => {
        asked += 1;
        return isStalled ? { stall: true } : { text: 'Three boats.' };
      },
    });
    const env = {
      ...FLEET,
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: model.url,
      SVC_MODEL: 'm',
      DATABASE_URL: await databases.fresh(),
      SVC_SCHEDULER_ENABLED: 'true',
      SVC_ALLOW_PRIVATE_URLS: receiver.host,
      SVC_LOG_LEVEL: 'error',
    };
    const first = await serve({ cwd: folder.path, env });
    const { id } = await call<{ id: string }>(first, TASKS, {
      name: 'Boats',
      question: 'How many boats are there?',
      cronExpression: '0 8 1 1 *',
      recipients: [{ type: 'webhook', url: receiver.url }],
    });
    await call(first, `${TASKS}/${id}/run`, {});
    while (asked === 0) await sleep(100);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    isStalled = false;

    await using second = await serve({ cwd: folder.path, env });
    let runs: readonly Run[] = [];
    while (!runs.some(({ deliveryStatus }) => deliveryStatus === 'sent')) {
      await sleep(200);
      ({ runs } = await call<{ runs: Run[] }>(second, `${TASKS}/${id}/runs`));
    }
    expect(runs).toMatchObject([{ status: 'success', deliveryStatus: 'sent' }]);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { taskId: id, answer: 'Three boats.' },
    ]);
    const health = await call<{ components: object }>(second, '/api/health');
    expect(health.components).toMatchObject({ scheduler: { status: 'healthy' } });
    expect(second.stderr()).toBe('');
  });
});
