/** What the clients of a soak test do, in loops: most behave, some leave, some do not read, some sign in again. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedRequest, Step } from '../harness/openai-server.ts';

export const CLIENTS = 200;
const ACCOUNTS = 4;
const MODEL_PAUSE_MS = 1_500;
const UNREAD_MS = 5_000;

const SQL = 'SELECT status, COUNT(*) AS orders FROM orders GROUP BY status';
const ALL_ROWS = 'SELECT id, status, note FROM orders';
const FAILURES: readonly Step[] = [
  { status: 500 },
  { status: 429 },
  { garbage: 'not-json' },
  { garbage: 'cut', text: 'I begin' },
  { text: 'I begin', streamError: { message: 'broken' } },
];

/** The model: a statement, then a sentence. A question names what goes wrong. */
export function respond(request: RecordedRequest, n: number): Step {
  if (request.question.includes('Fail')) return FAILURES[n % FAILURES.length] as Step;
  const isDone = request.toolResults.length > 0;
  if (isDone) return { text: 'Most of the orders are closed. '.repeat(50), afterMs: MODEL_PAUSE_MS };
  const sql = request.question.includes('All') ? ALL_ROWS : SQL;
  return { toolCall: { name: 'executeSQL', args: { sql } }, afterMs: MODEL_PAUSE_MS };
}

export interface Load {
  /** How often each thing ended how: `chat 200`, `sign-in 200`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Ends the loops; resolves when all clients have gone. */
  end(): Promise<void>;
}

const jsonHeaders = { 'content-type': 'application/json' };
const chat = (question: string) => ({
  messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }],
});
const account = (index: number) => ({
  name: `User ${index}`,
  email: `user${index}@example.com`,
  password: `correct horse ${index}`,
});

async function send(url: string, body: object, token?: string, signal?: AbortSignal): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...jsonHeaders, ...authorization };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
}

/** Makes the accounts; resolves to a session of each. */
async function signUp(url: string): Promise<string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    await send(`${url}/api/auth/sign-up/email`, account(index));
    const response = await send(`${url}/api/auth/sign-in/email`, account(index));
    const token = response.headers.get('set-auth-token');
    if (token === null) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
    tokens.push(token);
  }
  return tokens;
}

/** Asks over a separate connection, reads nothing, and closes it. */
async function doNotRead(url: string, body: string, token: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  socket.write(
    `POST /api/chat HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await sleep(UNREAD_MS);
  socket.destroy();
}

/** One round of one client; resolves to what became of it. */
async function round(url: string, client: number, token: string): Promise<string> {
  const ended = async (name: string, response: Response) => {
    const text = await response.text();
    const hasFailed = response.status === 200 && /^data: 3:/m.test(text);
    return `${name} ${response.status}${hasFailed ? ' with an error event' : ''}`;
  };
  switch (client % 20) {
    case 0: {
      const response = await send(`${url}/api/auth/sign-in/email`, account(client % ACCOUNTS));
      await response.text();
      const session = response.headers.get('set-auth-token') ?? undefined;
      if (session !== undefined) await ended('sign-out', await send(`${url}/api/auth/sign-out`, {}, session));
      await sleep(2_000);
      return `sign-in ${response.status}`;
    }
    case 1:
    case 2: {
      const signal = AbortSignal.timeout(Math.floor(Math.random() * 3_000));
      const asked = send(`${url}/api/chat`, chat('How many?'), token, signal);
      return asked.then((response) => ended('chat, left early,', response)).catch(() => 'chat, left early');
    }
    case 3:
      await doNotRead(url, JSON.stringify(chat('All rows')), token);
      return 'chat, not read';
    case 4:
      await sleep(1_000);
      return ended('chat, failing provider,', await send(`${url}/api/chat`, chat('Fail'), token));
    case 5:
      return ended('query', await send(`${url}/api/v1/query`, { question: 'How many?' }, token));
    default:
      return ended('chat', await send(`${url}/api/chat${client % 2 ? '' : '?stream=ui'}`, chat('How many?'), token));
  }
}

export interface Clients {
  /** Starts all of them. */
  start(): Load;
}

/** Makes their accounts. */
export async function createClients(url: string): Promise<Clients> {
  const tokens = await signUp(url);
  return { start: () => startLoad(url, tokens) };
}

function startLoad(url: string, tokens: readonly string[]): Load {
  const counts = new Map<string, number>();
  let isOver = false;
  const loop = async (client: number) => {
    const token = tokens[client % ACCOUNTS] as string;
    while (!isOver) {
      const what = await round(url, client, token).catch((error: Error) => `no answer: ${error.message}`);
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (!/ 200$/.test(what)) await sleep(500);
    }
  };
  const loops = Array.from({ length: CLIENTS }, (_, client) => loop(client));
  return {
    counts,
    end: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
}
