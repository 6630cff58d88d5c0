/** A server that may have few descriptors, under more connections than that. */
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { emptyFolder, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { rawConnection } from '../harness/raw-http.ts';

const body = JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Boats?' }] }] });
const CHAT = `POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Connections that are closed before or after they are there count too. */
async function flood(url: string, count: number, text: string): Promise<Socket[]> {
  const opened = Array.from({ length: count }, async () => {
    const socket = await rawConnection(url).catch(() => undefined);
    socket?.resume();
    if (text !== '') socket?.write(text);
    return socket;
  });
  return (await Promise.all(opened)).filter((socket) => socket !== undefined);
}

it.each([
  ['idle connections at 160', 160, 400, ''],
  ['idle connections where even files cannot be opened', 48, 200, ''],
  ['waiting chats at 160', 160, 400, CHAT],
])(
  'survives %s',
  async (_, descriptors, count, text) => {
    using folder = emptyFolder();
    createFleet(folder.path);
    // Silent as long as the chats wait.
    let isSilent = text !== '';
    await using model = await startOpenAIServer({
      record: false,
      respond: () => (isSilent ? { stall: true } : { text: 'Three.' }),
    });
    const env = { ...FLEET, SVC_LOG_LEVEL: 'error', SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: model.url };
    await using server = await serve({ cwd: folder.path, env, descriptors });
    const sockets = await flood(server.url, count, text);
    const health = await fetch(`${server.url}/api/health`).catch(() => undefined);
    // With 48 there may be no descriptor to answer with; with more there is.
    if (descriptors > 100) expect(health?.status).toBe(200);
    for (const socket of sockets) socket.destroy();
    isSilent = false;
    const ask = () =>
      fetch(`${server.url}/api/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: '{"question":"Boats?"}',
      }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(ask, { timeout: 20_000, interval: 200 }).toBe(200);
  },
  60_000,
);
