/** Mail and Slack say where rows come from, and write values with the formats of the layer. */
import { expect, test } from 'vitest';
import type { Provenance } from '../result-kit/index.ts';
import { renderEmail } from './email-report.ts';
import { datasetOf, reportOf } from './report.ts';
import { renderSlack } from './slack-report.ts';

const provenance: Provenance = {
  tables: [
    {
      name: 'orders',
      freshness: { column: 'orders.at', last: '2026-10-31 18:04:11', checkedAt: '', isLate: true, within: '24h' },
    },
  ],
  measures: [],
  filters: [{ text: 'note of orders is <b>' }],
  periods: [],
  joins: [],
  policies: [],
  limit: { rows: null, truncated: false, sampled: false },
  assumptions: [],
};
const READINGS = 'By sent on 1,234.50 EUR, by paid on 1,100.00 EUR.';
const dataset = datasetOf({
  columns: ['revenue', 'town'],
  rows: [{ revenue: 1234.5, town: 'Linz' }],
  truncated: false,
  about: {
    provenance,
    formats: { revenue: { style: 'currency', unit: 'EUR' } },
    readings: { text: READINGS },
    other: 1,
  },
});
const report = reportOf({
  taskId: 't',
  taskName: 'Daily',
  question: 'Revenue?',
  answer: 'It is.',
  sql: [],
  data: [dataset],
  steps: 1,
  usage: { totalTokens: 0 },
  timestamp: '2026-11-01',
});
const ORIGIN = 'From: orders (up to 2026-10-31 18:04, older than 24h allows); note of orders is ';

test('mail has both, in text and in HTML, where names are no markup', () => {
  const { text, html } = renderEmail('Daily', report);
  expect(text).toContain('1,234.50 EUR  Linz');
  expect(text).toContain(`${ORIGIN}<b>`);
  expect(html).toContain('>1,234.50 EUR</td>');
  expect(html).toContain(`${ORIGIN}&lt;b&gt;</p>`);
});

test('both say what else the question may mean, unless the answer does', () => {
  for (const one of [renderEmail('Daily', report).text, renderEmail('Daily', report).html])
    expect(one).toContain(READINGS);
  expect(JSON.stringify(renderSlack('Daily', report).blocks)).toContain(READINGS);
  const said = reportOf({ ...report, answer: `It is. ${READINGS}` });
  expect(renderEmail('Daily', said).text.split(READINGS)).toHaveLength(2);
});

test('Slack has both', () => {
  const shown = JSON.stringify(renderSlack('Daily', report).blocks);
  expect(shown).toContain('1,234.50 EUR  Linz');
  expect(shown).toContain(`${ORIGIN}&lt;b&gt;`);
});

test('a webhook gets the values as they are, with the provenance as data', () => {
  expect(report.data).toEqual([
    {
      columns: ['revenue', 'town'],
      rows: [{ revenue: 1234.5, town: 'Linz' }],
      totalRows: 1,
      truncated: false,
      provenance,
      formats: { revenue: { style: 'currency', unit: 'EUR' } },
      readings: READINGS,
    },
  ]);
});
