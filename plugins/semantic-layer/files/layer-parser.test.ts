import { expect, test } from 'vitest';
import { LayerParser } from './layer-parser.ts';

const place = { kind: 'entity', source: 'default' } as const;
const long = `table: t\ndescription: ${'x'.repeat(10_000)}\n`;
const files = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => ({ ...place, path: `entities/t${n}.yml`, text }));

test('files come back in their order, whether they were parsed at once or in the thread', async () => {
  const parser = new LayerParser();
  const given = [...files(3, 'table: t\n'), ...files(1, long), ...files(300, `table: t # ${'x'.repeat(1_000)}`)];
  const parsed = await parser.parse(given.map((file, n) => ({ ...file, path: `entities/${n}.yml` })));
  parser.close();
  expect(parsed.map(({ path }) => path)).toEqual(given.map((_, n) => `entities/${n}.yml`));
  expect(parsed.every(({ items, problems }) => items.length === 1 && problems.length === 0)).toBe(true);
  expect(parsed.every(({ items }) => Object.isFrozen(items[0]?.value))).toBe(true);
});

test('what waits when it is closed rejects, and no thread is started afterwards', async () => {
  const parser = new LayerParser();
  const waiting = [1, 2].map(() => parser.parse(files(1, long)));
  parser.close();
  for (const one of waiting) await expect(one).rejects.toThrow('closed');
  await expect(parser.parse(files(1, long))).rejects.toThrow('closed');
});
