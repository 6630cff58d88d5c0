import { expect, it } from 'vitest';
import { LineTooLong, linesOf } from './lines.ts';

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const read = async (limit: number, ...texts: string[]) => {
  const lines: string[] = [];
  for await (const line of linesOf(chunks(...texts), limit)) lines.push(line.toString());
  return lines;
};

it.each<[texts: string[], lines: string[]]>([
  [[], []],
  [['a\nb\n'], ['a', 'b']],
  [
    ['a', 'b', '\n', '\n', 'c'],
    ['ab', 'c'],
  ],
  [
    ['gr\u00fc', 'n\nx'],
    ['gr\u00fcn', 'x'],
  ],
  [['\n\n'], []],
])('%j are the lines %j', async (texts, lines) => {
  expect(await read(100, ...texts)).toEqual(lines);
});

it('holds no more than one line', async () => {
  expect(await read(3, 'abc\nabc\n', 'ab', 'c')).toEqual(['abc', 'abc', 'abc']);
  await expect(read(3, 'abcd\n')).rejects.toThrow(LineTooLong);
  await expect(read(3, 'ab', 'cd')).rejects.toThrow(LineTooLong);
  await expect(read(3, 'ab', 'cd\n')).rejects.toThrow(LineTooLong);
});

it('reads no further than its reader', async () => {
  let given = 0;
  async function* counted() {
    for (given = 1; given < 100; given += 1) yield Buffer.from(`${given}\n`);
  }
  for await (const line of linesOf(counted())) if (line.toString() === '2') break;
  expect(given).toBe(2);
});
