/**
 * The floor: a server that does for a question only what no server can do without. It sends the two model requests that
 * Atlas sends, over kept connections, and between them the one statement that the model asks for. Run by `startChild`.
 */
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { childInput } from './child.ts';
import { send, textOf } from './client.ts';

/** The bodies of the two model requests of one question. */
export type Exchange = readonly [string, string];

export interface FloorInput {
  readonly modelUrl: string;
  readonly databaseUrl: string;
  readonly query: Exchange;
  readonly chat: Exchange;
}

interface Message {
  readonly content?: string;
  readonly tool_calls?: readonly [{ readonly function: { readonly arguments?: string } }];
}

const { modelUrl, databaseUrl, query, chat } = await childInput<FloorInput>();
const agent = new Agent({ keepAlive: true });
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });

const ask = async (body: string) => textOf(await send(agent, `${modelUrl}/chat/completions`, body));
const argumentsIn = ({ tool_calls: calls }: Message) => calls?.[0].function.arguments ?? '';
const rowsOf = async (args: string) => (await pool.query((JSON.parse(args) as { sql: string }).sql)).rows;

const messageIn = (answer: string) =>
  (JSON.parse(answer) as { choices: readonly [{ message: Message }] }).choices[0].message;

/** The deltas of a streamed answer. */
const deltasIn = (stream: string) =>
  stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .flatMap((event) => (JSON.parse(event.slice(6)) as { choices: { delta: Message }[] }).choices)
    .map(({ delta }) => delta);

async function answer(response: ServerResponse): Promise<void> {
  const rows = await rowsOf(argumentsIn(messageIn(await ask(query[0]))));
  const { content } = messageIn(await ask(query[1]));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ answer: content, rows }));
}

async function stream(response: ServerResponse): Promise<void> {
  const args = deltasIn(await ask(chat[0]))
    .map(argumentsIn)
    .join('');
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${args}\n\n`);
  const rows = await rowsOf(args);
  response.write(`data: ${JSON.stringify(rows)}\n\n`);
  const said = deltasIn(await ask(chat[1])).map(({ content = '' }) => content);
  response.end(`data: ${JSON.stringify(said.join(''))}\n\n`);
}

const server = createServer(async (request: IncomingMessage, response) => {
  JSON.parse(await text(request));
  await (request.url?.endsWith('/chat') ? stream(response) : answer(response));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}`, pid: process.pid });
});
