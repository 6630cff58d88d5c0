import { expect, test } from 'vitest';
import { LayerParser, ParserThread } from './layer-parser.ts';

test('takes long files of each owner in turn', async () => {
  const thread = new ParserThread();
  const order: string[] = [];
  const parse = async (owner: string) => {
    const place = { path: 'entities/t.yml', kind: 'entity', source: 'default' } as const;
    const { problems } = await new LayerParser(thread, owner).parse(place, `table: t\n#${'x'.repeat(10_000)}\n`);
    order.push(owner);
    expect(problems).toEqual([]);
  };
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(parse));
  thread.close();
  // The first was taken before any other waited.
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
});
