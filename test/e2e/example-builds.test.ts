/** The builds of `examples/` are served as they are, and asked. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { emptyFolder, serve } from '../harness/command.ts';
import { startHttpReceiver } from '../harness/http-receiver.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';

const root = join(import.meta.dirname, '../..');

/** The example beside the data of the demo. */
function copyOf(example: string) {
  const folder = emptyFolder();
  cpSync(join(root, 'examples', example), folder.path, { recursive: true });
  cpSync(join(root, 'semantic'), join(folder.path, 'semantic'), { recursive: true });
  createSimpleDemo(join(folder.path, 'shop.db'));
  return folder;
}

const post = (url: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('minimal answers', async () => {
  using folder = copyOf('minimal');
  await using server = await serve({ cwd: folder.path });
  const answer = await post(`${server.url}/api/v1/query`, { question: 'How many orders by status?' });
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ outcome: 'answered' })]);
});

describe('custom', () => {
  const ann = { 'x-badge': 'the badge of ann in the test' };
  const bob = { 'x-badge': 'the badge of bob in the test' };

  it('lets in who has a badge, and opens the ticket that an analyst approves', async () => {
    using folder = copyOf('custom');
    await using desk = await startHttpReceiver((_, response) => response.writeHead(201).end());
    await using model = await startOpenAIServer({
      respond: ({ toolResults: [result] }) =>
        result === undefined
          ? { toolCall: { name: 'open_ticket', args: { title: 'Orders fall', text: 'They fell by 4 %.' } } }
          : { text: 'The ticket awaits approval.' },
    });
    await using server = await serve({
      cwd: folder.path,
      env: { BADGE_OF_ANN: ann['x-badge'], BADGE_OF_BOB: bob['x-badge'], HELP_DESK: desk.host, MODEL_URL: model.url },
    });
    const ask = (headers: Record<string, string>) =>
      post(`${server.url}/api/v1/query`, { question: 'Open a ticket about the orders.' }, headers);
    expect((await ask({})).status).toBe(401);
    expect((await ask({ 'x-badge': 'the badge of somebody else' })).status).toBe(401);
    const answer = await ask(bob);
    const { pendingActions = [] } = (await answer.json()) as { pendingActions?: { id: string; summary: string }[] };
    expect([answer.status, pendingActions]).toEqual([
      200,
      [expect.objectContaining({ type: 'ticket', target: 'help desk', summary: 'Open the ticket "Orders fall".' })],
    ]);
    const approve = (headers: Record<string, string>) =>
      post(`${server.url}/api/v1/actions/${pendingActions[0]?.id}/approve`, {}, headers);
    expect((await approve(bob)).status).toBe(403);
    expect(desk.received).toEqual([]);
    const approved = await approve(ann);
    expect([approved.status, await approved.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'executed', resolved_by: 'ann', result: { status: 201 } }),
    ]);
    expect(desk.received.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/tickets', { title: 'Orders fall', text: 'They fell by 4 %.' }],
    ]);
  });
});
