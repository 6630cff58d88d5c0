import { expect, it } from 'vitest';
import { FreshValues } from './fresh-values.ts';

/** Values that are read one at a time, each when it is let. */
function reading() {
  const reads: { orgId: string | null; resolve(value: { n: number }): void; reject(error: Error): void }[] = [];
  const values = new FreshValues((orgId) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ n: number }>();
    reads.push({ orgId, resolve, reject });
    return promise;
  });
  return { reads, values };
}

it('reads once for all who ask, each organization apart', async () => {
  const { reads, values } = reading();
  const asked = [values.of('a'), values.of('a'), values.of(null)];
  expect(reads.map(({ orgId }) => orgId)).toEqual(['a', null]);
  for (const [index, { resolve }] of reads.entries()) resolve({ n: index });
  expect(await Promise.all(asked)).toEqual([{ n: 0 }, { n: 0 }, { n: 1 }]);
  expect(values.of('a')).toEqual({ n: 0 });
});

it('keeps nothing that was being read when it was forgotten', async () => {
  const { reads, values } = reading();
  const before = values.of('a');
  values.forget('a');
  const after = values.of('a');
  reads[1]?.resolve({ n: 2 });
  expect(await after).toEqual({ n: 2 });
  reads[0]?.resolve({ n: 1 });
  expect(await before).toEqual({ n: 1 });
  expect(values.of('a')).toEqual({ n: 2 });
  values.forget('a');
  const late = values.of('a');
  values.forget('a');
  reads[2]?.resolve({ n: 3 });
  await late;
  expect(values.of('a')).toBeInstanceOf(Promise);
  expect(reads).toHaveLength(4);
});

it('rejects while reading fails, and reads again', async () => {
  const { reads, values } = reading();
  const failed = values.of('a');
  reads[0]?.reject(new Error('away'));
  await expect(failed).rejects.toThrow('away');
  const again = values.of('a');
  reads[1]?.resolve({ n: 1 });
  expect(await again).toEqual({ n: 1 });
});
