import { describe, expect, test } from 'vitest';
import type { ChatTurn } from '../../kernel/index.ts';
import { scriptedApp } from '../../test/harness/scripted-agent.ts';
import { agent, queryIn } from './index.ts';

const part = (output: unknown, more: object = {}) => ({
  type: 'tool-executeSQL',
  state: 'output-available',
  input: { sql: 'SELECT a FROM t' },
  output,
  ...more,
});

describe('the last query among parts', () => {
  test.each<[string, unknown[], unknown]>([
    [
      'as it is stored',
      [part({ sql: 'SELECT b', columns: ['b'], rows: [{ b: 1 }] })],
      { sql: 'SELECT b', columns: ['b'] },
    ],
    ['as the model asked for it', [part({ truncated: true })], { sql: 'SELECT a FROM t', columns: [] }],
    [
      'the newest',
      [part({ columns: ['x'] }), part({ sql: 'SELECT y', columns: ['y'] })],
      { sql: 'SELECT y', columns: ['y'] },
    ],
    [
      'one that succeeded',
      [part({}), part({ sql: 'no' }, { state: 'output-error' })],
      { sql: 'SELECT a FROM t', columns: [] },
    ],
    ['none without SQL', [{ type: 'text', text: 'Hm.' }, part({ values: [] }, { input: { column: 'a' } })], undefined],
    ['none that is too long', [part({ sql: `SELECT ${'x'.repeat(4_000)}` })], undefined],
    ['none of what a client invents', [null, 7, { type: 7 }, part(7, { input: 'x' }), part({ sql: 7 })], undefined],
  ])('%s', (_, parts, expected) => expect(queryIn(parts)).toEqual(expected));

  test('has a bounded number of columns', () => {
    const columns = Array.from({ length: 1_000 }, () => 'c'.repeat(1_000));
    expect(JSON.stringify(queryIn([part({ columns })])).length).toBeLessThan(6_000);
  });
});

test('the model is told the last query with the question, as data', async () => {
  await using scripted = await scriptedApp(() => ({ text: 'Some.' }));
  const { app, server } = scripted;
  const query = {
    sql: "SELECT region, SUM(amount) FROM orders WHERE status = 'done' GROUP BY 1",
    columns: ['region', 'sum'],
  };
  const turns: ChatTurn[] = [
    { role: 'user', text: 'Amounts by region?' },
    { role: 'assistant', text: 'North leads.', query },
    { role: 'user', text: 'Thanks' },
    { role: 'assistant', text: 'Welcome.' },
    { role: 'user', text: 'And by channel?' },
  ];
  await app.get(agent).answer({ turns, surface: 'api' }, app.scope());
  const asked = server.requests[0]?.question ?? '';
  expect(asked).toMatch(/<data (\w+)>\nSQL:\nSELECT region.*status = 'done'.*\nColumns: region, sum\n<\/data \1>/);
  expect(asked.endsWith('\n\nAnd by channel?')).toBe(true);
  expect(server.requests[0]?.instructions).toContain('keeps the filters');
  await app.get(agent).answer({ turns: turns.slice(-1), surface: 'api' }, app.scope());
  expect(server.requests[1]?.question).toBe('And by channel?');
  expect(server.requests[1]?.instructions).toBe(server.requests[0]?.instructions);
});
