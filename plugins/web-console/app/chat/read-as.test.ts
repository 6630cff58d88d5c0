import { expect, it } from 'vitest';
import { readAnswer } from './read-as.ts';

it('the last line says how the question was read, part by part', () => {
  const text =
    'Revenue by region:\n- Europe: 1\n\nRead as: Revenue, by region of customers, in 2025 (2025-01-01 up to, not including, 2026-01-01).';
  expect(readAnswer(text)).toEqual({
    text: 'Revenue by region:\n- Europe: 1',
    readAs: ['Revenue', 'by region of customers', 'in 2025 (2025-01-01 up to, not including, 2026-01-01)'],
  });
});

it('a text without it stays whole', () => {
  expect(readAnswer('Read as: x\nand more')).toEqual({ text: 'Read as: x\nand more', readAs: [] });
});
