/** Every block of `docs/webhook.md` runs, and prints what the page shows. */
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { blocksOf, DocShell } from '../harness/doc-blocks.ts';

const root = join(import.meta.dirname, '../..');

it('docs/webhook.md: the composition serves, and answers what the page sends', { timeout: 60_000 }, async () => {
  using folder = emptyFolder();
  createSimpleDemo(join(folder.path, 'shop.db'));
  cpSync(join(root, 'semantic'), join(folder.path, 'semantic'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  const blocks = blocksOf('docs/webhook.md');
  const [composition] = blocks.filter(({ language }) => language === 'ts');
  writeFileSync(join(folder.path, 'atlas.config.ts'), composition?.text ?? '');
  const [serve, withSecret, signed, ...others] = blocks.filter(({ language }) => language === 'sh');
  expect(others).toEqual([]);
  await using shell = await DocShell.open(folder.path);
  await shell.run(serve?.text ?? '');
  const table = JSON.parse(await shell.run(withSecret?.text ?? ''));
  expect(table).toEqual({
    success: true,
    result: {
      answer: expect.stringContaining('orders'),
      sql: [expect.stringMatching(/^SELECT/i)],
      columns: [expect.any(String)],
      rows: [expect.any(Object)],
      provenance: expect.objectContaining({ tables: [expect.objectContaining({ name: 'orders' })] }),
    },
  });
  expect(JSON.parse(await shell.run(signed?.text ?? ''))).toEqual({ success: true, result: table.result.answer });
});
