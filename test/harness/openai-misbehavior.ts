/**
 * Starts a server that answers as no provider of the OpenAI protocol should: broken bodies, wrong events, wrong HTTP. What it
 * does is drawn from a seed, so that a failure can be repeated.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Step } from './openai-server.ts';
import { numbered, renderDocument, renderEvents } from './openai-wire.ts';

/** Draws numbers from a seed (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(end: number): number {
    return Math.floor(this.share() * end);
  }

  chance(share: number): boolean {
    return this.share() < share;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

const LONE = '\ud800';
const ODD_VALUES: readonly ((draw: Draw) => string)[] = [
  () => 'null',
  () => '1e999',
  () => '-1',
  () => '[]',
  () => '{}',
  () => '""',
  () => JSON.stringify(LONE),
  () => '"\\u0000"',
  () => '{"toString":1,"valueOf":2}',
  () => '{"__proto__":{"type":"x"},"constructor":1}',
  () => '"constructor"',
  () => '[null,[[],{}],"x"]',
  (draw) => `${'['.repeat(1 + draw.below(3_000))}${']'.repeat(1 + draw.below(3_000))}`,
  (draw) => JSON.stringify('x'.repeat(1 + draw.below(100_000))),
];

const SQL = ['select count(*) as n from orders', 'select * from orders', 'select wrong from orders', 'x;'.repeat(300)];

const ARGUMENTS: readonly ((draw: Draw) => unknown)[] = [
  (draw) => ({ sql: draw.of(SQL) }),
  () => '{"sql": "select',
  () => '',
  () => 'null',
  () => '[]',
  () => '"{\\"sql\\":\\"select 1\\"}"',
  () => '{"sql": 7}',
  () => '{"sql":"select 1","sql":null}',
  () => `{"sql":"select 1","more":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  () => ({ sql: `select '${'x'.repeat(90_000)}'` }),
];

function toolCalls(draw: Draw) {
  const count = draw.chance(0.1) ? 10 + draw.below(400) : 1 + draw.below(4);
  return Array.from({ length: count }, () => ({
    name: draw.of(['executeSQL', 'executeSQL', 'executeSQL', 'nothing', '', '\n', 'x'.repeat(500)]),
    args: draw.of(ARGUMENTS)(draw),
    ...(draw.chance(0.3) && { id: draw.of(['', 'same', 'y'.repeat(300)]) }),
  }));
}

function step(draw: Draw): Step {
  const text = draw.of(['', 'There are 500.', 'é–日本語 '.repeat(20), 'word '.repeat(3_000), 'x'.repeat(80_000)]);
  return {
    ...(draw.chance(0.8) && { text }),
    ...(draw.chance(0.35) && { toolCalls: toolCalls(draw) }),
    ...(draw.chance(0.1) && { finishReason: draw.of(['length', 'content_filter', 'stop'] as const) }),
    ...(draw.chance(0.1) && { streamError: { message: 'overloaded', type: 'server_error', code: 'x' } }),
  };
}

/** Events that end or break an answer, each at an unexpected place. */
const SUDDEN_EVENTS: readonly string[] = [
  'data: {"type":"response.failed","sequence_number":1,"response":{"error":{"code":"server_error","message":"gone"}}}\n\n',
  'data: {"type":"response.failed","sequence_number":1,"response":{"error":null}}\n\n',
  'data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}\n\n',
  'data: {"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  'data: {"type":"error","sequence_number":1,"code":{"toString":1},"message":"x"}\n\n',
  'data: {"type":"error","sequence_number":1,"code":"rate_limit_exceeded","message":"x"}\n\n',
  'data: {"error":{"message":"no","code":{"toString":1},"type":{"toString":1}}}\n\n',
  'data: {"error":"no"}\n\n',
  'data: {"choices":[{"delta":{},"finish_reason":"toString"}]}\n\n',
  'data: {"choices":[{"delta":{"content":[{"text":{"toString":1}},null,"x"]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[null]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":-1},{"index":1e308,"id":"a","function":null}]}}]}\n\n',
  'data: {"type":"response.output_item.added","output_index":-1,"item":{"type":"function_call"}}\n\n',
  'data: {"type":"response.function_call_arguments.delta","item_id":"?","output_index":99,"delta":"{"}\n\n',
  'data: [DONE]\n\n',
  'data: not JSON\n\n',
  'data:\n\n',
  ': comment\n\n',
  'event: ping\nretry: soon\nid: \0\n\n',
  '\ufeff',
];

/** Changes the body's text. */
const TEXT_FAULTS: readonly ((text: string, draw: Draw) => string)[] = [
  (text) => text,
  (text, draw) => text.slice(0, draw.below(text.length)),
  (text, draw) => `${text.slice(0, draw.below(text.length))}${draw.of(SUDDEN_EVENTS)}`,
  (text, draw) => events(text).toSpliced(draw.below(9), 0, draw.of(SUDDEN_EVENTS)).join(''),
  (text, draw) =>
    events(text)
      .toSpliced(-1 - draw.below(3), 0, draw.of(SUDDEN_EVENTS), draw.of(SUDDEN_EVENTS))
      .join(''),
  (text) => text + text,
  (text, draw) =>
    `${text}${events(text)
      .slice(-1 - draw.below(3))
      .join('')}`,
  (text, draw) =>
    events(text)
      .toSorted(() => draw.share() - 0.5)
      .join(''),
  (text, draw) =>
    events(text)
      .filter(() => draw.chance(0.8))
      .join(''),
  (text, draw) => oddValue(text, draw),
  (text, draw) => oddValue(oddValue(oddValue(text, draw), draw), draw),
  (text, draw) => text.replaceAll('\n', draw.of(['\r\n', '\r'])),
  (text) => text.trimEnd(),
  (text, draw) => `${text}data: ${'z'.repeat(draw.below(2_000_000))}`,
  (text, draw) => `${text}${draw.of(['\n', '\r', ':\n', 'data: {}\n\n']).repeat(draw.below(20_000))}`,
  () => '',
  () => '<!doctype html><title>Welcome</title>',
  () => '[]',
  (_, draw) => draw.of(['{', '{"output":[{}]}', '{"choices":[]}', '{"choices":[{"message":null}],"output":null}']),
  (_, draw) => `{"output":[${Array(draw.below(20_000)).fill('0').join(',')}],"choices":[{"message":{"content":""}}]}`,
];

const events = (text: string) => text.split(/(?<=\n\n)/);

/** Puts something else into the place of one JSON value. */
function oddValue(text: string, draw: Draw): string {
  const values = [...text.matchAll(/(?<=":)("(?:[^"\\]|\\.)*"|null|true|false|-?\d+|\[\]|\{\})/g)];
  if (values.length === 0) return text;
  const { index, 0: value } = draw.of(values);
  return `${text.slice(0, index)}${draw.of(ODD_VALUES)(draw)}${text.slice(index + value.length)}`;
}

/** Changes the body's bytes. */
const BYTE_FAULTS: readonly ((body: Buffer, draw: Draw) => Buffer)[] = [
  (body) => body,
  (body) => body,
  (body) => body,
  (body, draw) => insert(body, draw, Buffer.from([0xff, 0xfe, 0xc3, 0x28])),
  (body, draw) => insert(body, draw, Buffer.from(Array.from({ length: 20 }, () => draw.below(256)))),
  (body, draw) => {
    const flipped = Buffer.from(body);
    for (let n = 0; n < 5 && flipped.length > 0; n += 1) flipped[draw.below(flipped.length)] = draw.below(256);
    return flipped;
  },
];

function insert(body: Buffer, draw: Draw, bytes: Buffer): Buffer {
  const at = draw.below(body.length + 1);
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

const chunked = (body: Buffer, trailers = '') =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from(`\r\n0\r\n${trailers}\r\n`)]);
const message = (head: string, body: Buffer) => Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);

/** The whole response with the body in it; `type` is the header that names its format. */
const FRAMES: readonly ((type: string, body: Buffer, draw: Draw) => Buffer)[] = [
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ncontent-length: ${body.length}`, body),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ntransfer-encoding: chunked`, chunked(body)),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\nconnection: close`, body),
  (type, body, draw) => message(`HTTP/1.1 200 OK${type}\r\ncontent-length: ${body.length + 1 + draw.below(99)}`, body),
  (type, body, draw) => message(`HTTP/1.1 200 OK${type}\r\ncontent-length: ${draw.below(body.length + 1)}`, body),
  (type, body) =>
    message(
      `HTTP/1.1 200 OK${type}\r\ntransfer-encoding: chunked\r\ntrailer: x-more`,
      chunked(body, 'x-more: 1\r\nx-odd: \xff\r\n'),
    ),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ntransfer-encoding: chunked`, body),
  (type, body) =>
    message(`HTTP/1.1 200 OK${type}\r\ntransfer-encoding: chunked`, Buffer.concat([Buffer.from('zz\r\n'), body])),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ncontent-length: 5\r\ncontent-length: 6`, body),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ncontent-encoding: gzip\r\nconnection: close`, body),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\ncontent-encoding: gzip\r\nconnection: close`, gzipSync(body)),
  (type, body, draw) =>
    Buffer.concat([
      Buffer.from(
        draw
          .of(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'])
          .repeat(draw.below(99)),
      ),
      message(`HTTP/1.1 200 OK${type}\r\ncontent-length: ${body.length}`, body),
    ]),
  (type, body) => message(`HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade${type}`, body),
  (type, body, draw) =>
    message(
      `HTTP/1.1 ${draw.of([199, 201, 204, 205, 302, 304, 400, 404, 408, 418, 500, 503, 599, 600, 999])} X${type}`,
      body,
    ),
  (type, body, draw) =>
    message(
      `HTTP/1.1 429 X${type}\r\nretry-after: ${draw.of(['-1', 'x', '1e99', '0.001', ''])}\r\nconnection: close`,
      body,
    ),
  (type, body) => message(`HTTP/1.1 200 OK${type}\r\nx-big: ${'b'.repeat(20_000)}`, body),
  (type, body) => message(`HTTP/1.1 200 \xff\xfe${type}\r\nx-\x01: \x02`, body),
  (_, body) => body,
  (type, body, draw) =>
    Buffer.concat([
      message(`HTTP/1.1 200 OK${type}\r\ncontent-length: 2`, Buffer.from('{}')),
      insert(body, draw, body),
    ]),
];

const TYPES = ['', '\r\ncontent-type: text/html', '\r\ncontent-type: application/octet-stream; charset=utf-16'];

export interface MisbehavingServer extends AsyncDisposable {
  /** Base URL for a provider, ending in `/v1`. */
  readonly url: string;
  /** Answers begun so far. */
  readonly answers: number;
  /** Connections that are open. */
  readonly connections: number;
}

/** Starts the server on a free port of the loopback interface. */
export async function startMisbehavingServer(seed: number): Promise<MisbehavingServer> {
  const draw = new Draw(seed);
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  let answers = 0;

  const answer = async (socket: Socket, path: string, streamed: boolean): Promise<void> => {
    answers += 1;
    // All draws come first, so that what is sent does not depend on who else is being answered.
    const protocol = path.endsWith('/responses') ? 'responses' : 'chat';
    const rightType = `\r\ncontent-type: ${streamed ? 'text/event-stream' : 'application/json'}`;
    const own = step(draw);
    const rendered = streamed ? renderEvents(protocol, own, true).join('') : renderDocument(protocol, own);
    const text = draw.chance(0.85)
      ? draw.of(TEXT_FAULTS)(numbered(rendered, answers), draw)
      : numbered(rendered, answers);
    const body = draw.of(BYTE_FAULTS)(Buffer.from(text), draw);
    const frame = draw.chance(0.6) ? draw.of(FRAMES.slice(0, 3)) : draw.of(FRAMES);
    const bytes = frame(draw.chance(0.85) ? rightType : draw.of(TYPES), body, draw);
    const ending = draw.of(['wait', 'wait', 'end', 'end', 'destroy', 'reset'] as const);
    const pieces = Math.min(bytes.length, draw.of([1, 1, 2, 3, 10, 40]));
    const pauseMs = draw.of([0, 0, 1, 3]);
    const until = draw.chance(0.9) ? bytes.length : draw.below(bytes.length);
    const size = Math.max(1, Math.ceil(until / Math.max(1, pieces)));
    for (let at = 0; at < until && !socket.destroyed; at += size) {
      socket.write(bytes.subarray(at, Math.min(until, at + size)));
      if (pieces > 1) await sleep(pauseMs, undefined, { signal: closing.signal });
    }
    if (ending === 'end') socket.end();
    else if (ending === 'destroy') socket.destroy();
    else if (ending === 'reset') socket.resetAndDestroy();
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece: string) => {
      received += piece;
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (head === -1 || received.length < head + 4 + length) return;
      const request = received.slice(0, head + 4 + length);
      received = received.slice(head + 4 + length);
      const path = /^POST (\S+)/.exec(request)?.[1] ?? '';
      answer(socket, path, /"stream":\s*true/.test(request)).catch(() => socket.destroy());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get answers() {
      return answers;
    },
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
