import { expect, test } from 'vitest';
import { turnsOf } from './messages.ts';

const text = (said: string) => ({ type: 'text', text: said });
const tool = {
  type: 'tool-executeSQL',
  toolCallId: 'c1',
  state: 'output-available',
  input: { sql: "SELECT n FROM t WHERE status = 'done'" },
  output: { columns: ['n'], rows: [{ n: 1 }] },
};
const query = { sql: "SELECT n FROM t WHERE status = 'done'", columns: ['n'] };

test('the query of an assistant message that a client sends back is carried, without its rows', () => {
  const turns = turnsOf([
    { id: '1', role: 'user', parts: [text('How many?')] },
    { id: '2', role: 'assistant', parts: [tool, text('One.')] },
    { id: '3', role: 'user', parts: [text('And by channel?')] },
  ]);
  expect(turns).toEqual([
    { role: 'user', text: 'How many?' },
    { role: 'assistant', text: 'One.', query },
    { role: 'user', text: 'And by channel?' },
  ]);
});

test('an answer without text keeps its query, one without either is left out', () => {
  const ask = (...parts: { type: string; text?: unknown }[]) =>
    turnsOf([
      { id: '2', role: 'assistant', parts },
      { id: '3', role: 'user', parts: [text('And by channel?')] },
    ]);
  expect(ask(tool)[0]).toEqual({ role: 'assistant', text: '', query });
  expect(ask({ type: 'reasoning' })).toHaveLength(1);
});
