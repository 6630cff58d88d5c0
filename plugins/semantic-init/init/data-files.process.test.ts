/** Tests `atlas init` on CSV and Parquet files: what is imported, what is refused, and that questions are answered. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder, serve } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';

const DATABASE = 'atlas-files.duckdb';

let folder: ReturnType<typeof emptyFolder>;
beforeEach(() => {
  folder = emptyFolder();
  write('orders.csv', 'id,zip,amount,day\n1,00123,10.5,2025-01-01\n2,99\n3,00456,20,2025-02-01\n4,00789,1,2,3\n');
});
afterEach(() => folder[Symbol.dispose]());

const write = (path: string, text: string | Uint8Array) => writeFileSync(join(folder.path, path), text);
const init = (...args: string[]) => atlas(['init', ...args], { cwd: folder.path });
const entity = (name: string) => parse(readFileSync(join(folder.path, 'semantic/entities', `${name}.yml`), 'utf8'));

it('imports files, counts bad rows with their lines, and answers questions about the rest', async () => {
  mkdirSync(join(folder.path, 'more'));
  const sales = Array.from({ length: 60 }, (_, n) => `${['north', 'south'][n % 2]};${n}`).join('\n');
  write('more/My Sales-2025.csv', `region;amount\n${sales}\n`);
  const { code, stdout, stderr } = await init('--csv', 'orders.csv,more');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('orders.csv: 2 rows in the table "orders"; 2 bad rows were left out:');
  expect(stdout).toMatch(/^ {2}line 3: .*\n {2}line 5: /m);
  expect(stdout).toContain('60 rows in the table "my_sales_2025".');
  expect(stdout).toContain(`put SVC_DATASOURCE_URL=duckdb:${DATABASE} into .env`);
  // A code keeps its zeros, and is no number.
  expect(entity('orders').dimensions).toContainEqual(expect.objectContaining({ name: 'zip', type: 'string' }));
  await using server = await serve({ cwd: folder.path, env: { SVC_DATASOURCE_URL: `duckdb:${DATABASE}` } });
  const asked = await atlas(['query', 'total amount by region', '--json'], {
    cwd: folder.path,
    env: { SVC_API_URL: server.url },
  });
  expect(JSON.parse(asked.stdout).data[0].rows.map(Object.values)).toEqual([
    ['south', 900],
    ['north', 870],
  ]);
});

it('imports what a shell made of a pattern, and Parquet; a second import changes no file of the layer', async () => {
  write('people.csv', 'code,name\n1,Ann\n2,"Bob, B"\n');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT 7 AS id, DATE '2025-03-01' AS day) TO '${join(folder.path, 'visits.parquet')}'`);
  connection.closeSync();
  const args = ['--parquet', 'visits.parquet', '--csv', 'people.csv'];
  expect((await init('--csv', 'orders.csv', 'people.csv')).code).toBe(0);
  expect((await init(...args)).stdout).toContain('visits.parquet: 1 row in the table "visits".');
  expect(entity('visits').dimensions).toContainEqual(expect.objectContaining({ name: 'day', type: 'date' }));
  expect((await init(...args)).stdout).toContain('0 files written');
  expect(entity('orders').table).toBe('orders');
});

it('reads other encodings, mixed line ends and names that look like patterns', async () => {
  const people = 'id,name\r\n1,Zoë\n2,Bob\r\n3,x,y\n';
  mkdirSync(join(folder.path, 'in[1]'));
  write('in[1]/mixed.CSV', people);
  write('in[1]/utf16.csv', Buffer.from(`\ufeff${people}`, 'utf16le'));
  write('in[1]/utf16be.csv', Buffer.from(`\ufeff${people}`, 'utf16le').swap16());
  write('in[1]/latin.csv', Buffer.from(people, 'latin1'));
  write('in[1]/l[o]ng, *.csv', `id,name\n1,Zoë\n2,${'x'.repeat(3_000_000)}\n3,x,y\n`);
  write('in[1]/long, more.csv', 'id\n1\n');
  const { code, stdout, stderr } = await init('--csv', 'in[1]');
  expect([code, stderr]).toEqual([0, '']);
  for (const table of ['mixed', 'utf16', 'utf16be', 'latin', 'l_o_ng']) {
    expect(stdout).toMatch(new RegExp(`2 rows in the table "${table}"; 1 bad row was left out:\n  line 4: `));
    expect(entity(table).dimensions).toContainEqual(expect.objectContaining({ name: 'id', type: 'number' }));
  }
  const instance = await DuckDBInstance.create(join(folder.path, DATABASE));
  const connection = await instance.connect();
  for (const table of ['mixed', 'utf16', 'utf16be', 'latin', 'l_o_ng']) {
    const reader = await connection.runAndReadAll(`SELECT name FROM ${table} WHERE id = 1`);
    expect([table, reader.getRowsJson()]).toEqual([table, [['Zoë']]]);
  }
  connection.closeSync();
  instance.closeSync();
});

it.each([
  [['--csv', 'empty.csv'], /^empty\.csv is empty: a CSV file needs a line with the names of its columns\./],
  [['--csv', 'binary.csv'], /^binary\.csv is not a text file/],
  [['--csv', 'loop.csv'], /^loop\.csv is not a file\./],
  [['--csv', 'pipe.csv'], /^pipe\.csv is not a file\./],
  [['--csv', 'none'], /^There is no CSV file in none\./],
  [['--csv', 'nowhere.csv'], /^There is no file nowhere\.csv\./],
  [['--csv', ','], /^--csv names no file\./],
  [['orders.csv'], /^There is nothing to do with "orders\.csv"\. Name data files with --csv or --parquet\./],
  [['--parquet', 'orders.csv'], /^orders\.csv cannot be read as Parquet: /],
  [['--csv', 'orders.csv,ORDERS.txt'], /both become the table "orders"\. Rename one of them\./],
])('refuses %j in one sentence, and leaves nothing behind', async (args, message) => {
  write('ORDERS.txt', 'a,b\n1,2\n');
  write('empty.csv', '\n\n');
  write('binary.csv', Buffer.from([1, 0, 2]));
  symlinkSync('loop.csv', join(folder.path, 'loop.csv'));
  execFileSync('mkfifo', [join(folder.path, 'pipe.csv')]);
  mkdirSync(join(folder.path, 'none'));
  const { code, stdout, stderr } = await init(...args);
  expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
  expect(stderr).toMatch(message);
  expect([DATABASE, `${DATABASE}.wal`, 'semantic'].filter((name) => existsSync(join(folder.path, name)))).toEqual([]);
});
