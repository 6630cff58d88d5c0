/** Sends bytes of HTTP that a client library would not: half a request, a wrong length, a hang-up. */
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Splits a response as received. A chunked body is given as it is, with its chunk sizes. */
export function parseResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** A connection to the server at `url`; close it with `destroy`. */
export async function rawConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  // A server may reset a connection on purpose; the test looks at what arrived before.
  socket.on('error', () => {});
  return socket;
}

/** Everything the server sends until it closes the connection, or until `until` is part of it. */
export function received(socket: Socket, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const done = () => {
      socket.off('data', onData);
      resolve(text);
    };
    const onData = (bytes: Buffer) => {
      text += bytes.toString();
      if (until !== undefined && text.includes(until)) done();
    };
    socket.on('data', onData);
    socket.once('close', done);
  });
}

/** Sends the bytes as they are and gives back what the server answers before it closes the connection. */
export async function sendRaw(url: string, request: string | Buffer): Promise<RawResponse> {
  const socket = await rawConnection(url);
  const answer = received(socket);
  socket.write(request);
  return parseResponse(await answer);
}
