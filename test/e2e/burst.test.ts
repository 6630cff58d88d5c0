/** Many questions at the same moment: none is refused, and health is answered meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';

const folder = emptyFolder();
beforeAll(() => createFleet(folder.path));
afterAll(() => folder[Symbol.dispose]());

async function post(server: RunningServer, path: string, body: unknown): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return `${response.status} ${await response.text()}`;
}

it('500 questions and 200 chats at once are all answered', async () => {
  await using server = await serve({
    cwd: folder.path,
    env: { ...FLEET, SVC_LOG_LEVEL: 'error', DATABASE_URL: 'sqlite:atlas.db' },
  });
  const question = 'What is the boat count?';
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }];
  let isOver = false;
  const work = Promise.all([
    Promise.all(Array.from({ length: 500 }, () => post(server, '/api/v1/query', { question }))),
    Promise.all(Array.from({ length: 200 }, () => post(server, '/api/chat', { messages }))),
  ]).finally(() => {
    isOver = true;
  });
  const health: number[] = [];
  while (!isOver) health.push((await fetch(`${server.url}/api/health`)).status);
  const [answers, chats] = await work;
  expect(answers.filter((answer) => !/^200 .*"boat_count":3/.test(answer))).toEqual([]);
  expect(chats.filter((chat) => !/^200 [\s\S]*"finishReason":"stop"/.test(chat))).toEqual([]);
  expect(new Set(health)).toEqual(new Set([200]));
}, 120_000);
