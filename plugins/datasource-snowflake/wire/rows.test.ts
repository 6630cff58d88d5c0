/** Rows of a partition, wherever the pieces of it are cut. */
import { expect, it } from 'vitest';
import { OtherServer } from '../../datasource-kit/index.ts';
import { rowsIn } from './rows.ts';

async function read(text: string, size: number): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const all: unknown[] = [];
  for await (const rows of rowsIn(pieces())) all.push(...rows);
  return all;
}

const ROWS = [['1', null], ['a"]],[["\\', 'grün 😀'], [], ['{"data":[["x"]]}', ' \n'], ['\u2028', '\t']];

it.each([1, 2, 3, 7, 64, 10_000])('are whole in pieces of %i bytes', async (size) => {
  for (const space of [undefined, 2]) {
    for (const object of [
      { data: ROWS },
      { code: '090001', other: { data: [['no']] }, list: [['no']], data: ROWS, more: [] },
    ]) {
      expect(await read(JSON.stringify(object, undefined, space), size)).toEqual(ROWS);
    }
  }
  expect(await read('{"data": []}', size)).toEqual([]);
});

it.each([
  '',
  '[["x"]]',
  '{"data": [["x"]',
  '{"data": [["x"]]',
  '{"code": "1"}',
  '{"data": [[x]]}',
  '<html>',
  '{"data": [["x"]}]}}',
])('%s is no partition', async (text) => {
  for (const size of [1, 1_000]) await expect(read(text, size)).rejects.toThrow(OtherServer);
});
