import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../agent/index.ts';
import { AnswerParts, type MessagePart, type ToolPart, textOf } from './parts.ts';

const text = (said: string): AgentEvent => ({ type: 'text', text: said });
const call = (id: string, args: unknown = {}): AgentEvent =>
  ({ type: 'tool-call', toolCallId: id, toolName: 'look', args }) as AgentEvent;
const result = (id: string, given: unknown): AgentEvent =>
  ({ type: 'tool-result', toolCallId: id, toolName: 'look', result: given }) as AgentEvent;
const failure = (id: string, error: string): AgentEvent =>
  ({ type: 'tool-result', toolCallId: id, toolName: 'look', error }) as AgentEvent;

function partsOf(...events: readonly AgentEvent[]): readonly MessagePart[] {
  const parts = new AnswerParts();
  for (const event of events) parts.add(event);
  return parts.toJSON();
}

/** What is kept of a tool's result. */
const outputOf = (given: unknown) => (partsOf(call('c'), result('c', given))[0] as ToolPart).output;

const MESSAGE_LENGTH = 512 * 1024;
const PREVIEW_LENGTH = 64 * 1024;

describe('the parts of an answer', () => {
  it('are its texts and tool calls in order, pieces of a text as one', () => {
    const events = [
      text('a'),
      text('b'),
      call('1', { sql: 'x' }),
      text(''),
      text('c'),
      result('1', { n: 1 }),
      text('d'),
    ];
    expect(partsOf(...events)).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'tool-look', toolCallId: '1', state: 'output-available', input: { sql: 'x' }, output: { n: 1 } },
      { type: 'text', text: 'cd' },
    ]);
    expect(partsOf(text(''))).toEqual([]);
  });

  it('keep a call without a result, a failed one, and no result without its call', () => {
    const tool = { type: 'tool-look', input: {} };
    expect(partsOf(call('1'), call('2'), failure('1', 'no'), result('3', {}))).toEqual([
      { ...tool, toolCallId: '1', state: 'output-error', errorText: 'no' },
      { ...tool, toolCallId: '2', state: 'input-available' },
    ]);
    expect(partsOf(text('a'), result('a', 1))).toEqual([{ type: 'text', text: 'a' }]);
    expect(partsOf({ ...call('1'), args: undefined } as AgentEvent)).toEqual([
      { ...tool, input: undefined, toolCallId: '1', state: 'input-available' },
    ]);
  });

  it('hold the statement of a result without its rows, the choices, and the questions that may follow', () => {
    const statement = { toolCallId: '1', requested: 'select 1', executed: 'SELECT 1', changes: [], tables: ['t'] };
    const choices = [{ id: '1', label: 'a' }];
    const finish = (more: object) =>
      ({ type: 'finish', answer: { outcome: 'answered', notes: [], ...more } }) as unknown as AgentEvent;
    const returned = { ...result('1', { rows: [] }), statement } as unknown as AgentEvent;
    expect(partsOf(call('1'), returned, finish({ suggestions: ['More?'] })).slice(1)).toEqual([
      { type: 'data-statement', id: '1', data: statement },
      { type: 'data-suggestions', id: 'suggestions', data: { suggestions: ['More?'] } },
    ]);
    expect(partsOf(finish({ outcome: 'clarify', choices }))).toEqual([
      { type: 'data-outcome', data: { outcome: 'clarify', notes: [], choices } },
      { type: 'data-choices', id: 'choices', data: { choices } },
    ]);
    expect(partsOf(returned)).toEqual([]);
    const huge = {
      ...returned,
      statement: { ...statement, executed: 'x'.repeat(MESSAGE_LENGTH) },
    } as unknown as AgentEvent;
    expect(partsOf(call('1'), huge, finish({ suggestions: ['y'.repeat(MESSAGE_LENGTH)] }))).toHaveLength(1);
  });

  it('give a result to the last call of its id', () => {
    const states = partsOf(call('1'), call('1'), text('x'), result('1', 1)).map((part) => (part as ToolPart).state);
    expect(states).toEqual(['input-available', 'output-available', undefined]);
  });

  it('cut a text where the message is full, and drop what follows', () => {
    const parts = partsOf(text('x'.repeat(MESSAGE_LENGTH - 10)), text('y'.repeat(20)), text('z'), call('1'));
    // The first piece takes a hundred characters besides its text.
    expect(parts).toEqual([{ type: 'text', text: 'x'.repeat(MESSAGE_LENGTH - 10) }]);
    const [whole] = partsOf(text('x'.repeat(MESSAGE_LENGTH - 200)), text('y'.repeat(150)));
    expect(whole).toEqual({ type: 'text', text: 'x'.repeat(MESSAGE_LENGTH - 200) + 'y'.repeat(100) });
    const [cut] = partsOf(text('x'.repeat(MESSAGE_LENGTH + 1)));
    expect((cut as { text: string }).text).toHaveLength(MESSAGE_LENGTH);
    const [grown] = partsOf(text('x'.repeat(MESSAGE_LENGTH - 200)), text('y'.repeat(60)), text('z'.repeat(60)));
    expect((grown as { text: string }).text).toHaveLength(MESSAGE_LENGTH - 100);
  });

  it('keep a call while there is room for one, without arguments that do not fit', () => {
    const upTo = (room: number) => text('x'.repeat(MESSAGE_LENGTH - 100 - room));
    expect(partsOf(upTo(100), call('1'))).toHaveLength(2);
    expect(partsOf(upTo(99), call('1'))).toHaveLength(1);
    // Seven characters of JSON, one of the id and four of the name.
    const args = { a: 1 };
    expect(partsOf(upTo(1_000), call('1', { a: 'x'.repeat(1_000) }))[1]).toMatchObject({
      input: { truncated: true },
    });
    const exact = { a: 'x'.repeat(1_000 - 8 - 5) };
    expect(partsOf(upTo(1_000), call('1', exact))[1]).toMatchObject({ input: exact });
    expect(partsOf(upTo(1_000), call('1', { a: `${exact.a}x` }))[1]).toMatchObject({ input: { truncated: true } });
    expect(partsOf(upTo(1_000), call('1', args))[1]).toMatchObject({ input: args });
    // A call whose arguments are left out takes no more than there is: a second one finds no room.
    const big = { a: 'x'.repeat(PREVIEW_LENGTH * 10) };
    expect(partsOf(upTo(1_000), call('1', big), call('2'))).toHaveLength(2);
  });

  it('cut the error of a call', () => {
    const [part] = partsOf(call('1'), failure('1', 'x'.repeat(PREVIEW_LENGTH + 1)));
    expect((part as ToolPart).errorText).toHaveLength(PREVIEW_LENGTH);
    const full = partsOf(text('x'.repeat(MESSAGE_LENGTH - 300)), call('1'), failure('1', 'y'.repeat(200)));
    // 100 for each part, and seven for the arguments, id and name of the call.
    expect((full[1] as ToolPart).errorText).toBe('y'.repeat(93));
  });

  it('count results, so that later ones find less room', () => {
    const big = { text: 'y'.repeat(60_000) };
    const events = Array.from({ length: 12 }, (_, n) => [call(`${n}`), result(`${n}`, big)]).flat();
    const outputs = partsOf(...events).map((part) => (part as ToolPart).output);
    expect(outputs.slice(0, 8)).toEqual(Array(8).fill(big));
    expect(outputs[8]).toMatchObject({ truncated: true });
    expect(JSON.stringify(partsOf(...events)).length).toBeLessThan(MESSAGE_LENGTH + 2_000);
  });

  it('end with the outcome unless the question was answered and nothing noted', () => {
    const finish = (answer: object) => ({ type: 'finish', answer: { text: 'no', ...answer } }) as AgentEvent;
    const notes = [{ code: 'a_note', message: 'Mind this.' }];
    expect(partsOf(text('a'), finish({ outcome: 'answered', notes: [] }))).toEqual([{ type: 'text', text: 'a' }]);
    expect(partsOf(finish({ outcome: 'answered', notes }))).toEqual([
      { type: 'data-outcome', data: { outcome: 'answered', notes } },
    ]);
    const choices = [{ label: 'By month' }];
    const [part] = partsOf(finish({ outcome: 'clarify', notes: [], choices }));
    expect(part).toEqual({ type: 'data-outcome', data: { outcome: 'clarify', notes: [], choices } });
    expect(partsOf(finish({ outcome: 'declined', notes: [] }))).toEqual([
      { type: 'data-outcome', data: { outcome: 'declined', notes: [] } },
    ]);
    expect(partsOf({ type: 'reasoning', text: 'x' } as AgentEvent)).toEqual([]);
    // A text and an outcome beside a call have no result to take.
    expect(partsOf(text('a'), finish({ outcome: 'declined', notes: [] }), result('a', 1))).toHaveLength(2);
  });

  it('throw for what is not JSON and keep everything as it was', () => {
    const parts = new AnswerParts();
    parts.add(text('a'));
    parts.add(call('1'));
    const before = JSON.stringify(parts);
    for (const event of [call('2', { n: 1n }), result('1', { n: 1n })]) expect(() => parts.add(event)).toThrow();
    expect(JSON.stringify(parts)).toBe(before);
  });
});

describe('a result', () => {
  it.each([[null], [undefined], [7], ['text'], [{ a: 1 }], [[1, 2]], [{ rows: 'none' }], [{ rows: [] }]])(
    'that is short is kept: %j',
    (given) => expect(outputOf(given)).toEqual(given),
  );

  it('has at most fifty rows', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
    expect(outputOf({ columns: ['n'], rows: rows(50) })).toEqual({ columns: ['n'], rows: rows(50) });
    expect(outputOf({ columns: ['n'], rows: rows(51) })).toEqual({ columns: ['n'], rows: rows(50), truncated: true });
  });

  it('has the rows that fit, and none after one that does not', () => {
    const rows = [{ a: 1 }, { a: 'x'.repeat(PREVIEW_LENGTH) }, { a: 2 }];
    expect(outputOf({ rows })).toEqual({ rows: [{ a: 1 }], truncated: true });
    // `{"rows":[]}` has eleven characters, and each row one besides its own.
    const exact = [{ a: 'x'.repeat(PREVIEW_LENGTH - 11 - 1 - 8) }];
    expect(outputOf({ rows: exact })).toEqual({ rows: exact });
    expect(outputOf({ rows: [{ a: `${exact[0]?.a}x` }] })).toEqual({ rows: [], truncated: true });
  });

  it('that is too long without its rows is kept as the beginning of its JSON', () => {
    const long = 'x'.repeat(PREVIEW_LENGTH);
    expect(outputOf(long)).toEqual({ truncated: true, text: `"${long}`.slice(0, PREVIEW_LENGTH) });
    expect(outputOf({ text: long, rows: [{ a: 1 }] })).toEqual({
      truncated: true,
      text: `{"text":"${long}`.slice(0, PREVIEW_LENGTH),
    });
    const fitting = 'x'.repeat(PREVIEW_LENGTH - 2);
    expect(outputOf(fitting)).toBe(fitting);
    expect(outputOf(`${fitting}x`)).toMatchObject({ truncated: true });
  });

  it('keeps infinite numbers as strings, and all other values', () => {
    const rows = [{ a: Number.POSITIVE_INFINITY, b: 1, c: '∞', d: null }, { a: Number.NaN }, { a: -1 }, null, 7, [1]];
    expect(outputOf({ rows })).toEqual({
      rows: [{ a: 'Infinity', b: 1, c: '∞', d: null }, { a: 'NaN' }, { a: -1 }, null, 7, [1]],
    });
  });
});

it('the text of parts is what was said, without tools', () => {
  const parts: MessagePart[] = [
    { type: 'text', text: ' One.' },
    { type: 'tool-look', toolCallId: '1', state: 'input-available', input: { text: 'no' } },
    { type: 'text', text: 'Two. ' },
  ];
  expect(textOf(parts)).toBe('One.\n\nTwo.');
  expect(textOf([])).toBe('');
});
