import { expect, it } from 'vitest';
import { BodyTurns, readInPieces } from './long-json.ts';

const read = (json: string) => readInPieces(Buffer.from(json), new BodyTurns());

/** As JSON, which also tells the order of keys; `undefined` for what is refused. */
const textOf = async (parsed: () => unknown) => {
  try {
    return JSON.stringify(await parsed());
  } catch {
    return undefined;
  }
};

const row = { n: -1.5e-7, text: 'a "quoted\\" [text], {with} 𝄞 \n commas', list: [1, [2, {}], []], '': null };
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, ...row, 2: true, 1: false }));

it.each([
  [rows(1_000)],
  [{ messages: rows(1_000), id: 'x' }],
  [[[[rows(900)]], Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`key ${n}`, 'é'.repeat(n)]))]],
  ['𝄞"'.repeat(100_000)],
  [Array.from({ length: 100_000 }, () => ({}))],
])('reads a long document as it is: %#', async (document) => {
  for (const json of [
    JSON.stringify(document),
    ` ${JSON.stringify(document, undefined, 2)}\n`,
    `\ufeff${JSON.stringify(document)}`,
  ]) {
    expect(JSON.stringify(await read(json))).toBe(JSON.stringify(document));
  }
});

it('refuses what is no JSON, wherever it is wrong, and nothing else', async () => {
  const inserted = [
    ',',
    '[',
    ']',
    '{',
    '}',
    '"',
    ':',
    '1',
    '01',
    '-',
    '1.',
    '1e999',
    ' ',
    '"x"',
    '"k":1',
    '"\\u00e9"',
    '"\\x"',
    '"\t"',
  ];
  const literals = ['true', 'nul', 'NaN', '\\', '/', '//\n', "'a'", '\n', '\v', '\u00a0', ''];
  const frames = [
    (x: string) => `[1,"b"${x}]`,
    (x: string) => `[${x}1,"b"]`,
    (x: string) => `{"a":[1]${x}}`,
    (x: string) => `{"a"${x}:[1]}`,
    (x: string) => `{"b":1,${x}"a":{"d":[]${x},"c":2}}`,
    (x: string) => `{"b":1,"a":${x}{"d":[],"c":2}}`,
    (x: string) => `${x}[1]`,
    (x: string) => `[1]${x}`,
    (x: string) => x,
  ];
  for (const frame of frames) {
    for (const first of [...inserted, ...literals]) {
      for (const second of inserted) {
        const json = frame(first + second);
        expect(await textOf(() => read(json)), json).toBe(await textOf(() => JSON.parse(json)));
      }
    }
  }
});

it.each([
  ['{"a":{"__proto__":{}}}', false],
  ['{"a":{"\\u005f_proto__":1}}', false],
  ['{"constructor":{"prototype":1}}', false],
  ['{"constructor":1}', true],
  ['{"prototype":"__proto__"}', true],
  ['["__proto__","constructor",{"prototype":1}]', true],
])('takes no key that changes a prototype: %s', async (json, isTaken) => {
  expect(await textOf(() => read(json))).toBe(isTaken ? json : undefined);
});
