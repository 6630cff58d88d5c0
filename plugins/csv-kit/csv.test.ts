import { expect, it } from 'vitest';
import { csvLines } from './index.ts';

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  [' outer ', '" outer "'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [true, 'true'],
  [false, 'false'],
  [{ a: [1, 'x'] }, '"{""a"":[1,""x""]}"'],
])('quotes %j where it has to', (value, cell) => {
  expect(csvLines([['before', value, 'after']])).toBe(`before,${cell},after\r\n`);
});

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', '"\'\t=1"'],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['-1+cmd|x', "'-1+cmd|x"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
])('%j runs in no spreadsheet', (value, cell) => {
  expect(csvLines([['before', value, 'after']])).toBe(`before,${cell},after\r\n`);
});

it.each([
  [-1, '-1'],
  [-1.5e-7, '-1.5e-7'],
  [-12n, '-12'],
  ['-3.3333333333333333', '-3.3333333333333333'],
  ['-12345678901234567890', '-12345678901234567890'],
])('%s stays a number', (value, cell) => {
  expect(csvLines([[value]])).toBe(`${cell}\r\n`);
});

it('writes nothing for no rows', () => {
  expect(csvLines([])).toBe('');
});
