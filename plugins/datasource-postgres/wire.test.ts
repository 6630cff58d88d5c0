import { describe, expect, it } from 'vitest';
import { WireFilter } from './wire.ts';

const message = (type: string, body: Buffer) => {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};
const row = (...values: (string | null)[]) => {
  const parts = [Buffer.alloc(2)];
  parts[0]?.writeInt16BE(values.length);
  for (const value of values) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : value.length);
    parts.push(length, Buffer.from(value ?? ''));
  }
  return message('D', Buffer.concat(parts));
};
const READY = message('Z', Buffer.from('I'));
const EMPTY = message('1', Buffer.alloc(0));

/** Sends the bytes in pieces of `size`. */
function through(filter: WireFilter, bytes: Buffer, size: number): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(...filter.push(bytes.subarray(at, at + size)));
  return Buffer.concat(out);
}

const SIZES = [1, 2, 3, 4, 5, 6, 7, 11, 64, 1_000, 1_000_000];
const limits = { maxValueBytes: 10, maxRowBytes: 40 };

describe.each(SIZES)('in pieces of %i bytes', (size) => {
  it('short values pass unchanged', () => {
    const bytes = Buffer.concat([EMPTY, row('a', null, 'b'), EMPTY, READY, row('1234'), row(), READY]);
    expect(through(new WireFilter(), bytes, size)).toEqual(bytes);
  });

  it('long values are cut, the rest of the row and of the stream stays', () => {
    const filter = new WireFilter();
    filter.limits = limits;
    const long = 'x'.repeat(5_000);
    const bytes = Buffer.concat([EMPTY, row('a', long, null, 'b'), READY, row(long), EMPTY, row('c')]);
    const short = 'x'.repeat(10);
    expect(through(filter, bytes, size)).toEqual(
      Buffer.concat([EMPTY, row('a', short, null, 'b'), READY, row(short), EMPTY, row('c')]),
    );
  });

  it('a row of many values is cut as a whole', () => {
    const filter = new WireFilter();
    filter.limits = limits;
    const values = Array.from({ length: 100 }, () => '12345678');
    const kept = [...values.slice(0, 5), ...Array.from({ length: 95 }, () => '')];
    expect(through(filter, row(...values), size)).toEqual(row(...kept));
  });

  it('rows that are not wanted are dropped, messages between them are not', () => {
    const filter = new WireFilter();
    filter.dropRows = true;
    const bytes = Buffer.concat([row('a'), READY, row('b'.repeat(100)), EMPTY, row('c')]);
    expect(through(filter, bytes, size)).toEqual(Buffer.concat([READY, EMPTY]));
  });
});

it('a long error is cut and still ends as an error must', () => {
  const fields = Buffer.from(`SERROR\0C22P02\0M${'x'.repeat(300_000)}\0Rroutine\0\0`);
  const out = through(new WireFilter(), Buffer.concat([message('E', fields), READY]), 8_192);
  expect(out.length).toBeLessThan(70_000);
  expect(out.readUInt32BE(1)).toBe(out.length - 1 - READY.length);
  expect(out.subarray(0, 20).toString()).toContain('SERROR');
  expect(out.subarray(-READY.length - 2, -READY.length)).toEqual(Buffer.alloc(2));
});

it('a message that no server sends is refused', () => {
  const header = Buffer.from('T\x7f\xff\xff\xff', 'latin1');
  expect(() => new WireFilter().push(header)).toThrow('too long');
});
