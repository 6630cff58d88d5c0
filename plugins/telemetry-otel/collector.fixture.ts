/** Starts a collector for tests, which takes OTLP over HTTP and decodes the fields that tests look at. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message: string };
}

type Field = readonly [number: number, value: bigint | Buffer];

/** The fields of one message, in order. */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) fields.push([tag >> 3, varint()]);
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint());
      fields.push([tag >> 3, bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}

const all = (bytes: Buffer, number: number) =>
  fieldsOf(bytes).flatMap(([at, value]) => (at === number && Buffer.isBuffer(value) ? [value] : []));
const one = (bytes: Buffer, number: number) => all(bytes, number)[0] ?? Buffer.alloc(0);
const text = (bytes: Buffer, number: number) => one(bytes, number).toString('utf8');
const integer = (bytes: Buffer, number: number) =>
  Number(fieldsOf(bytes).find(([at, value]) => at === number && typeof value === 'bigint')?.[1] ?? 0);
const milliseconds = (bytes: Buffer, number: number) => Number(one(bytes, number).readBigUInt64LE()) / 1e6;

function anyValueOf(any: Buffer): unknown {
  const [number, value] = fieldsOf(any)[0] ?? [1, Buffer.alloc(0)];
  if (typeof value === 'bigint') return number === 2 ? value === 1n : Number(value);
  if (number === 4) return value.readDoubleLE();
  return number === 5 ? all(value, 1).map(anyValueOf) : value.toString('utf8');
}

const attributesOf = (pairs: readonly Buffer[]) =>
  Object.fromEntries(pairs.map((pair) => [text(pair, 1), anyValueOf(one(pair, 2))]));

function spanOf(span: Buffer): ReceivedSpan {
  const status = one(span, 15);
  return {
    traceId: one(span, 1).toString('hex'),
    spanId: one(span, 2).toString('hex'),
    parentId: one(span, 4).toString('hex'),
    name: text(span, 5),
    kind: integer(span, 6),
    start: milliseconds(span, 7),
    end: milliseconds(span, 8),
    attributes: attributesOf(all(span, 9)),
    status: { code: integer(status, 3), message: text(status, 2) },
  };
}

/** `silent`: takes everything and never answers; `down`: ends each connection as soon as it is made. */
export type CollectorStatus = number | 'silent' | 'down';

export interface TestCollector extends AsyncDisposable {
  readonly url: string;
  /** How it answers from now on. */
  status: CollectorStatus;
  /** Every byte that came. */
  readonly bodies: Buffer[];
  readonly headers: IncomingHttpHeaders[];
  readonly spans: ReceivedSpan[];
  readonly metrics: Set<string>;
  readonly resources: Record<string, unknown>[];
  /** Requests answered, or left without an answer. */
  requests: number;
}

export async function startCollector(status: CollectorStatus = 200): Promise<TestCollector> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    collector.requests += 1;
    collector.bodies.push(body);
    collector.headers.push(request.headers);
    if (typeof collector.status === 'string') return;
    for (const group of all(body, 1)) {
      collector.resources.push(attributesOf(all(one(group, 1), 1)));
      for (const item of all(group, 2).flatMap((scope) => all(scope, 2))) {
        if (request.url === '/v1/traces') collector.spans.push(spanOf(item));
        else collector.metrics.add(text(item, 1));
      }
    }
    response.writeHead(collector.status, { 'content-type': 'application/x-protobuf' }).end();
  });
  // It keeps its port while it is down, so that no other process gets it.
  server.on('connection', (socket) => {
    if (collector.status === 'down') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: TestCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status,
    bodies: [],
    headers: [],
    spans: [],
    metrics: new Set(),
    resources: [],
    requests: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}
