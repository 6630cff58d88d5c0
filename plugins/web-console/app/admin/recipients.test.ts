import { expect, it } from 'vitest';
import { recipientLines, recipientsOf } from './recipients.ts';

it('reads recipients of one channel as lines, and makes recipients of lines', () => {
  const before = [
    { type: 'webhook', url: 'https://example.com/a', headers: { 'x-team': 'data' } },
    { type: 'email', address: 'ann@example.com' },
  ];
  expect(recipientLines(before, 'webhook')).toBe('https://example.com/a');
  expect(recipientsOf(' https://example.com/a \n\nhttps://example.com/b', 'webhook', before)).toEqual([
    { type: 'webhook', url: 'https://example.com/a', headers: { 'x-team': 'data' } },
    { type: 'webhook', url: 'https://example.com/b' },
    { type: 'email', address: 'ann@example.com' },
  ]);
  expect(recipientsOf('#sales', 'slack', [])).toEqual([{ type: 'slack', channel: '#sales' }]);
  expect(recipientsOf('', 'email', before)).toEqual([before[0]]);
});
