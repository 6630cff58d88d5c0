import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RequestBodies } from './request-bodies.ts';

const KIB = 1024;
/** As the server gets it: memory of its own. */
const part = (bytes: number) => Buffer.from(new ArrayBuffer(bytes));

/** Bodies of which `cut` names those that were cut off, by the order in which they began. */
function start(limitBytes: number) {
  const sockets: Socket[] = [];
  const cut: number[] = [];
  const bodies = new RequestBodies(limitBytes, (socket) => {
    cut.push(sockets.indexOf(socket));
    payloads.get(socket)?.destroy();
  });
  const payloads = new Map<Socket, PassThrough>();
  const begin = () => {
    const socket = new Socket();
    const payload = new PassThrough({ highWaterMark: 64 * KIB });
    sockets.push(socket);
    payloads.set(socket, payload);
    bodies.watch(socket, payload);
    return { socket, payload };
  };
  return { bodies, cut, begin };
}

describe('request bodies', () => {
  it('are cut off beyond half of the limit, the slowest first, and leave no memory behind', async () => {
    const { cut, begin } = start(1024 * KIB);
    const [first, second, third] = [begin(), begin(), begin()];
    const sent = [part(200 * KIB), part(200 * KIB), part(200 * KIB)] as const;
    first.payload.write(sent[0]);
    await nextTurn();
    second.payload.write(sent[1]);
    await nextTurn();
    first.payload.write(part(1));
    await nextTurn();
    third.payload.write(sent[2]);
    await nextTurn();
    expect(cut).toEqual([1]);
    expect(sent.map(({ length }) => length)).toEqual([200 * KIB, 0, 200 * KIB]);
    first.payload.end();
    await nextTurn();
    expect(sent[0].length).toBe(200 * KIB);
  });

  it('have all of the limit once they have arrived, and short ones always have room', async () => {
    const { cut, begin } = start(1024 * KIB);
    for (const kibibytes of [400, 400, 400, ...Array<number>(10).fill(60)]) {
      begin().payload.end(part(kibibytes * KIB));
      await nextTurn();
      await nextTurn();
    }
    expect(cut).toEqual([2]);
  });

  it('are whole for whoever reads them when they end as they are cut off', async () => {
    const { bodies, begin } = start(1024 * KIB);
    const { socket, payload } = begin();
    const sent = part(200 * KIB);
    let length = 0;
    payload.once('end', () => {
      length = sent.length;
    });
    payload.end(sent);
    bodies.forget(socket);
    await expect.poll(() => length).toBe(200 * KIB);
  });

  it('are refused when the values read from them take too much, but never a single or a short one', async () => {
    const { bodies, begin } = start(1024 * KIB);
    const [first, second] = [begin(), begin()];
    for (const { payload } of [first, second]) payload.write(part(1));
    await nextTurn();
    expect(() => bodies.hold(first.socket, 2048 * KIB)).toThrow('Too many large requests run at once.');
    bodies.hold(first.socket, 900 * KIB);
    expect(() => bodies.hold(second.socket, 200 * KIB)).toThrow('Too many large requests run at once.');
    bodies.hold(second.socket, 60 * KIB);
    bodies.forget(first.socket);
    expect(() => bodies.hold(second.socket, 2048 * KIB)).not.toThrow();
  });
});
