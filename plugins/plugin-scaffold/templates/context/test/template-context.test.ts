import { contextCollect } from 'atlas-query';
import { contextContract, createTestApp, pluginContract } from 'atlas-query/testing';
import { expect, it } from 'vitest';
import { templateContext } from '../src/index.ts';

pluginContract('template-context', () => templateContext());

contextContract('template-context', () => ({
  plugin: templateContext({ fiscalYearStart: 4, holidays: [{ date: '2026-12-24', name: 'Christmas Eve' }] }),
  says: ['2026-12-24 Christmas Eve'],
}));

/** What the model reads on the day that the test clock shows. */
async function textOn(day: string, options: Parameters<typeof templateContext>[0]): Promise<string> {
  await using app = await createTestApp({ plugins: [templateContext(options)], now: new Date(day) });
  const question = { turns: [{ role: 'user', text: 'Revenue this quarter?' }], surface: 'test' } as const;
  const parts = await app.call(contextCollect, question, app.scope());
  return parts.map(({ value }) => value.text).join('\n');
}

it.each([
  ['2026-01-15T12:00:00Z', 1, 'Fiscal year 2026: 2026-01-01 to 2026-12-31.', 'Quarter 1: 2026-01-01 to 2026-03-31'],
  ['2026-01-15T12:00:00Z', 4, 'Fiscal year 2026: 2025-04-01 to 2026-03-31.', 'Quarter 4: 2026-01-01 to 2026-03-31'],
  ['2026-11-30T12:00:00Z', 10, 'Fiscal year 2027: 2026-10-01 to 2027-09-30.', 'Quarter 1: 2026-10-01 to 2026-12-31'],
])('on %s with a fiscal year that begins in month %i', async (day, fiscalYearStart, year, quarter) => {
  const text = await textOn(day, { fiscalYearStart });
  expect(text).toContain(year);
  expect(text).toContain(`${quarter}, the current quarter`);
});

it('begins the day in the time zone of the company', async () => {
  expect(await textOn('2026-01-15T23:30:00Z', { timeZone: 'Europe/Vienna' })).toContain('Today is 2026-01-16');
});

it('names holidays that are still to come', async () => {
  const holidays = [
    { date: '2025-12-24', name: 'Christmas Eve' },
    { date: '2026-05-01', name: 'Labour Day' },
  ];
  const text = await textOn('2026-01-15T12:00:00Z', { holidays });
  expect(text).toContain('Holidays: 2026-05-01 Labour Day.');
});
