import { expect, it } from 'vitest';
import { columnsOf } from '../../../../chart-kit/index.ts';
import { csvLines as serverLines } from '../../../../csv-kit/index.ts';
import { fileName } from './file-name.ts';
import { csvFile, csvLines, type ExportedRows, jsonFile, markdownFile } from './files.ts';

function exported(columns: readonly string[], rows: readonly (readonly unknown[])[]): ExportedRows {
  const rest = { rowCount: 0, truncated: false, sql: '', executedSql: '', connectionId: '', durationMs: 0 };
  const objects = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  return { columns: columnsOf({ columns: [...columns], rows: objects, ...rest }), rows: objects };
}

it.each([
  'plain',
  'a,b',
  'say "x"',
  'two\nlines',
  'two\r\nlines',
  'a;b',
  'a\tb',
  ' outer ',
  '',
  null,
  true,
  1.5,
  -1,
  -1.5e-7,
  { a: [1, 'x'] },
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  ' =1',
  '\t=1',
  '\r=1',
  '\n=1',
  '\uff1d1+1',
  '-1+cmd|x',
  "'x",
  '-12345678901234567890',
  '-3.3333333333333333',
  '=HYPERLINK("http://x","y")',
  '-0.5',
  '-1.50',
  '-007',
  '-1.',
  '−1',
])('CSV of %j is that of the server', (value) => {
  expect(csvLines([['before', value, 'after']])).toBe(serverLines([['before', value, 'after']]));
});

it('a CSV file has a mark for Excel, names first', () => {
  const file = csvFile(
    exported(
      ['=name', '__proto__', 'n'],
      [
        ['x', '+1', -2],
        [null, '', 3],
      ],
    ),
  );
  expect(file).toBe("\ufeff'=name,__proto__,n\r\nx,'+1,-2\r\n,,3\r\n");
});

it('JSON keeps values, order and any name', () => {
  const file = jsonFile(exported(['b', '__proto__'], [[{ a: 1 }, '12345678901234567890']]));
  expect(file).toBe('[\n  {\n    "b": {\n      "a": 1\n    },\n    "__proto__": "12345678901234567890"\n  }\n]\n');
});

it('Markdown makes no link, image or HTML of a row, and breaks no table', () => {
  const file = markdownFile(
    exported(
      ['a|b', 'n'],
      [
        ['<img src=x> [x](y) https://evil.example', 1234.5],
        ['a\nb', null],
      ],
    ),
    'Why?',
  );
  expect(file).toBe(
    'Why?\n\n| a\\|b | n |\n| --- | ---: |\n| \\<img src=x\\> \\[x\\](y) https\\://evil.example | 1,234.5 |\n| a↵b |  |\n',
  );
});

it('Markdown makes nothing of a text among numbers, however late it comes', () => {
  const rows = [...Array.from({ length: 2_000 }, (_, at) => [at + 0.5]), ['<img src=x> |\n| [x](y)']];
  expect(
    markdownFile(exported(['n'], rows), '')
      .split('\n')
      .at(-2),
  ).toBe('| \\<img src=x\\> \\|↵\\| \\[x\\](y) |');
});

it.each([
  ['Revenue by region, 2024?', 'revenue-by-region-2024.csv'],
  ['Größte Städte', 'gro-te-stadte.csv'],
  ['../../etc/passwd', 'etc-passwd.csv'],
  ['CON', 'answer.csv'],
  ['売上は？', 'answer.csv'],
  ['', 'answer.csv'],
  ['\u202egpj.exe\0', 'gpj-exe.csv'],
  ['x'.repeat(500), `${'x'.repeat(60)}.csv`],
])('the file of %j is %s', (question, name) => {
  expect(fileName(question, 'csv')).toBe(name);
});
