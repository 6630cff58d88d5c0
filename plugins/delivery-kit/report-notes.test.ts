import { expect, it } from 'vitest';
import { renderEmail } from './email-report.ts';
import { renderSlack } from './slack-report.ts';

const REPORT = {
  taskId: 't',
  taskName: 'Orders',
  question: 'How many orders?',
  answer: 'There are 12.',
  sql: [],
  data: [],
  steps: 1,
  usage: { totalTokens: 0 },
  timestamp: '2026-01-15T12:00:00.000Z',
};

it.each([
  [undefined, false],
  ['12 is > 10 <b>.', true],
])('a report with the reason %j says why it has come: %s', (reason, expected) => {
  const report = { ...REPORT, ...(reason !== undefined && { deliveryReason: reason }) };
  const { text, html } = renderEmail('Orders', report);
  expect(text.includes('Delivered because: 12 is > 10 <b>.')).toBe(expected);
  expect(html?.includes('Delivered because: 12 is &gt; 10 &lt;b&gt;.')).toBe(expected);
  expect(JSON.stringify(renderSlack('Orders', report)).includes('Delivered because: 12 is &gt; 10 &lt;b&gt;.')).toBe(
    expected,
  );
});
