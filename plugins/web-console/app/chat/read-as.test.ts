import { expect, it } from 'vitest';
import { alternativesTo, readAnswer } from './read-as.ts';

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

it('periods and steps of time have alternatives', () => {
  const firstOf = (part: string) => alternativesTo(part)[0];
  expect(firstOf('order date of orders in 2025 (2025-01-01 up to, not including, 2026-01-01)')).toBe('this month');
  expect(firstOf('order date of orders from 2024-12-15 to 2025-12-15')).toBe('this month');
  expect(firstOf('order date of orders since 2024-12-15')).toBe('this month');
  expect(firstOf('by order date of orders (per month)')).toBe('by day');
  for (const part of [
    'Revenue',
    'by region of customers',
    'where order date of orders is more than 2024-12-15',
    'compared with in 2024 (2024-01-01 up to, not including, 2025-01-01)',
  ])
    expect(alternativesTo(part)).toEqual([]);
});
