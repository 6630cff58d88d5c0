import { expect, it } from 'vitest';
import { partsOf } from './reply-parts.ts';

const reply = (rows: readonly string[][]) =>
  ({ kind: 'reply', value: { columns: ['a'], rows, truncated: false, notes: [] }, retire: false }) as const;

it('a small reply is one message', () => {
  expect([...partsOf(reply([['x'], ['y']]))]).toEqual([reply([['x'], ['y']])]);
  const failed = { kind: 'reply', failure: { kind: 'engine', code: '', message: 'No.' }, retire: false } as const;
  expect([...partsOf(failed)]).toEqual([failed]);
});

it('a large one comes in parts that are read quickly, with every row once', () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => [String(at).padEnd(8_000)]);
  const parts = [...partsOf(reply(rows))];
  const rowsOf = (part: (typeof parts)[number]) => (part.kind === 'reply' ? part.value : part) as { rows: string[][] };
  expect(parts.flatMap((part) => rowsOf(part).rows)).toEqual(rows);
  expect(parts.at(-1)?.kind).toBe('reply');
  for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(300_000);
});
