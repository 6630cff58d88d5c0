import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';

it('adds, lists, checks and removes a verified query of this folder, and doctor and diff report it', async () => {
  using folder = emptyFolder();
  using layer = layerFolder({
    'entities/orders.yml':
      'table: orders\ndimensions:\n  - { name: id, type: number, primary_key: true }\n  - { name: total, type: number }\n',
  });
  const path = join(folder.path, 'shop.db');
  const change = (sql: string) => {
    const db = new Sqlite(path);
    db.exec(sql);
    db.close();
  };
  change('CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); INSERT INTO orders VALUES (1, 5), (2, 7)');
  const env = {
    SVC_DATASOURCE_URL: `sqlite:${path}`,
    SVC_SEMANTIC_DIR: layer.dir,
    SVC_PROVIDER: 'offline',
    DATABASE_URL: `sqlite:${folder.path}/atlas.db`,
    PORT: '9',
  };
  const atlas = (...argv: string[]) => atlasHere(argv, { cwd: folder.path, env });
  writeFileSync(
    join(folder.path, 'money.yml'),
    'name: money\nquestion: How much money came in?\nsql: SELECT SUM(total) AS money FROM orders\n',
  );
  expect(await atlas('verified', 'add', 'money.yml')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Verified by .+ on \d{4}-\d\d-\d\d: money\n$/),
  });
  expect(readFileSync(join(layer.dir, 'verified/money.yml'), 'utf8')).toContain('verifiedBy: ');
  expect((await atlas('verified', 'list')).stdout).toMatch(/│ money +│ How much money came in\? +│/);
  expect(await atlas('query', 'how much money came in')).toMatchObject({
    stdout: expect.stringContaining('money: 12.'),
    stderr: expect.stringMatching(/^Verified by .+ on .+: money$/m),
  });
  change('ALTER TABLE orders RENAME COLUMN total TO amount');
  expect(await atlas('verified', 'check', 'money')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('failed'),
  });
  expect((await atlas('doctor')).stdout).toMatch(/^warning +verifiedQueries "money": /m);
  expect(await atlas('diff')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^verifiedQueries "money": /m) });
  const action = await atlas('verified', 'add');
  expect(action).toMatchObject({ code: 1, stderr: expect.stringContaining('the file of the query') });
  expect(await atlas('verified', 'remove', 'money')).toMatchObject({ code: 0, stdout: 'Removed money.\n' });
});
