import { expect, test } from 'vitest';
import { PostgresReader } from './reader.ts';

test('a statement that exhausts the stack costs one parser, and the next statement has another', async () => {
  const limits = { maxTextLength: 1_000_000, maxTokens: 1_000_000 };
  const reader = new PostgresReader();
  await reader.load();
  const deep = `SELECT a${' AT TIME ZONE b'.repeat(30_000)}`;
  expect(() => reader.statement(deep, limits)).toThrow('nested too deeply');
  await reader.load();
  expect(reader.statement('SELECT 1', limits).kind).toBe('select');
});
