/** Tests what a user sees of a model's text, and which calls are read from it, however the text is cut into pieces. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writtenAs } from '../../../test/fixtures/written-as.ts';
import { offeredTools } from './offered-tools.ts';
import { TextFilter } from './text-filter.ts';

const TOOLS = offeredTools(['executeSQL', 'queryMetrics', 'describeTable']);
const SQL = "select count(*) as n from orders where region = 'north' and amount < 5";
const call = { name: 'executeSQL', args: { sql: SQL } };
const json = JSON.stringify({ name: 'executeSQL', arguments: { sql: SQL } });
const WRITTEN = writtenAs(SQL);

interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly unknown[];
  readonly hasUnreadableCall: boolean;
}

function read(pieces: readonly string[], isStreamed: boolean, isCut = false): Read {
  const filter = new TextFilter(TOOLS, isStreamed);
  const deltas = pieces.flatMap((piece) => filter.push(piece));
  const { deltas: last, calls, hasUnreadableCall } = filter.end(isCut);
  const all = [...deltas, ...last];
  const of = (type: string) => all.flatMap((delta) => (delta.type === type ? delta.text : [])).join('');
  return { text: of('text'), reasoning: of('reasoning'), calls, hasUnreadableCall };
}

/** In one piece, in words, in single characters, and whole. */
function everyWay(text: string): Read[] {
  return [read([text], true), read(text.match(/\S+\s*|\s+/g) ?? [], true), read([...text], true), read([text], false)];
}

test('the messages of harmony are paragraphs', () => {
  const text =
    '<|channel|>commentary<|message|>This is it.<|end|><|start|>assistant<|channel|>final<|message|>There are 500.';
  for (const way of everyWay(text)) expect(way.text).toBe('This is it.\n\nThere are 500.');
});

describe('a call written as text', () => {
  test.each(Object.entries(WRITTEN))('%s', (_, text) => {
    for (const way of everyWay(text)) {
      expect(way.calls).toHaveLength(1);
      const [{ args: read, name }] = way.calls as [{ args: unknown; name: string }];
      expect({ name, args: typeof read === 'string' ? JSON.parse(read) : read }).toEqual(call);
      expect(way.text.trim()).toBe('');
    }
  });

  test.each(Object.entries(WRITTEN).filter(([name]) => !/without tokens|Command R/.test(name)))(
    '%s, after a sentence',
    (_, text) => {
      for (const way of everyWay(`I will count the orders.\n\n${text}`)) {
        expect(way.calls).toHaveLength(1);
        expect(way.text.trim()).toBe('I will count the orders.');
      }
    },
  );

  test('two calls', () => {
    for (const text of [
      `<tool_call>\n${json}\n</tool_call>\n<tool_call>\n${json}\n</tool_call>`,
      `[TOOL_CALLS][${json}, ${json}]`,
      `[executeSQL(sql="a"), executeSQL(sql="b")]`,
      `${json}\n${json}`,
      `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``,
    ]) {
      for (const way of everyWay(text)) expect({ text, n: way.calls.length }).toEqual({ text, n: 2 });
    }
  });

  test('of a tool that is not offered is returned when it has markup, or is nothing but a call', () => {
    for (const way of everyWay('<tool_call>{"name": "getWeather", "arguments": {}}</tool_call>')) {
      expect(way).toMatchObject({ text: '', calls: [{ name: 'getWeather', args: {} }] });
    }
    for (const way of everyWay('{"name": "getWeather", "arguments": {}}')) {
      expect(way).toMatchObject({ text: '', calls: [{ name: 'getWeather' }] });
    }
    const data = '{"name": "getWeather", "arguments": 3, "rows": 2}';
    for (const way of everyWay(data)) expect(way).toMatchObject({ text: data, calls: [], hasUnreadableCall: false });
  });

  test('that cannot be read is not shown', () => {
    for (const text of [
      '<tool_call>\n{"name": "executeSQL", "arguments": {"sql": "select',
      '<tool_call>\n{"nam',
      '{"name": "executeSQL", "arguments": {"sql": "select',
      '[TOOL_CALLS][{"name": ',
      '```json\n{"name": "executeSQL", "arguments": {"sql": ',
      '<|python_tag|>{"name"',
    ]) {
      for (const way of everyWay(text))
        expect(way).toEqual({ text: '', reasoning: '', calls: [], hasUnreadableCall: true });
    }
  });

  test('of a text that was cut is not read', () => {
    for (const text of Object.values(WRITTEN)) expect(read([text], true, true)).toMatchObject({ calls: [] });
  });
});

describe('thoughts', () => {
  const answer = 'There are **500** orders.';
  test.each([
    ['<think>', '</think>\n\n'],
    ['<think>\n', '\n</think>\n'],
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<reasoning>', '</reasoning>\n'],
    ['<THINK>', '</THINK>'],
    ['<seed:think>', '</seed:think>'],
    ['◁think▷', '◁/think▷'],
    ['[THINK]', '[/THINK]'],
    ['<|channel>thought\n', '<channel|>'],
    ['<thinking type="deep">', '</thinking>'],
    ['<internal_reasoning>', '</internal_reasoning>'],
    ['<|begin_of_thought|>', '<|end_of_thought|>\n'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    ['analysis', 'assistantfinal'],
  ])('%s', (open, close) => {
    for (const thought of ['We count the orders. {"sql": 1} < 2', 'The user wants `x`\n```sql\nselect 1\n```\n']) {
      for (const way of everyWay(`${open}${thought}${close}${answer}`)) {
        expect(way.text.trim()).toBe(answer);
        expect(way.reasoning.trim()).toBe(thought.trim());
      }
    }
  });

  test('that are never closed are not shown', () => {
    for (const text of [
      '<think>We count',
      '◁think▷We count',
      '<|channel|>analysis<|message|>We count',
      'analysisWe count',
    ]) {
      for (const way of everyWay(text)) expect(way).toMatchObject({ text: '', reasoning: 'We count' });
    }
  });

  test('without an opening tag are not shown', () => {
    for (const thought of [
      'Okay, the user wants a count.\n',
      'The user asks how many.',
      'Let me think',
      'Hmm. 5 < 6',
      '',
    ]) {
      for (const way of everyWay(`${thought}</think>\n\n${answer}`)) {
        expect(way.text).toBe(answer);
        expect(way.reasoning).toBe(thought);
      }
    }
    // Whatever they begin with, where the text is not streamed.
    expect(read([`North and south.</think>${answer}`], false).text).toBe(answer);
  });

  test('twice', () => {
    for (const way of everyWay(`<think>a</think>One.\n<think>b</think>\nTwo.`)) {
      expect(way.text.replace(/\s+/g, ' ')).toBe('One. Two.');
      expect(way.reasoning).toBe('ab');
    }
  });

  test('before a call', () => {
    for (const way of everyWay(`<think>I need to count</think>\n<tool_call>${json}</tool_call>`)) {
      expect(way).toMatchObject({ reasoning: 'I need to count', calls: [call] });
      expect(way.text.trim()).toBe('');
    }
  });
});

test('control tokens are not shown, and end the text', () => {
  for (const [text, shown] of [
    ['There are 500.<|im_end|>', 'There are 500.'],
    ['There are 500.<|eot_id|><|start_header_id|>user', 'There are 500.'],
    ['There are 500.<|im_end|>\n<|im_start|>user\nAnd south?', 'There are 500.'],
    ['There are 500.</s>', 'There are 500.'],
    ['There are 500.<end_of_turn>', 'There are 500.'],
    ['There are 500.<｜end▁of▁sentence｜>', 'There are 500.'],
    ['<|im_start|>assistant\nThere are 500.', 'There are 500.'],
    ['<answer>There are 500.</answer>', 'There are 500.'],
    ['<|channel|>final<|message|>There are 500.<|return|>', 'There are 500.'],
  ]) {
    for (const way of everyWay(text ?? '')) expect(way.text.trim()).toBe(shown);
  }
});

/** Texts of answers, which are neither run nor changed. */
const ANSWERS = [
  'There are 500 orders.',
  'Okay, there are 500 orders.',
  'Models write `<tool_call>{"name": "executeSQL"}</tool_call>` when their server does not read it.',
  'The <tool_call> tag wraps a call.',
  'He wrote "<think>" into the note.',
  'The tags `<think>` and `</think>` mark thoughts.',
  'The note reads <tool_call>{"name": "executeSQL", "arguments": {"sql": "select 1"}}</tool_call> and is odd.',
  'A statement:\n\n```sql\nselect count(*) from orders where a < 5 and b > 6\n```\n\nIt counts.',
  'As JSON:\n\n```json\n{"region": "north", "n": 250}\n```',
  'As JSON:\n\n```json\n{"name": "north", "total": 250}\n```\nThat is all.',
  'I ran this:\n```json\n{"name": "executeSQL", "arguments": {"sql": "select 1"}}\n```\nand got one row.',
  'Fenced:\n```xml\n<note><think>x</think></note>\n```\n',
  'Fenced:\n```html\n<tool_call>{"name": "executeSQL", "arguments": {}}</tool_call>\n```\n',
  '| region | n |\n|---|---|\n| <north> | [5] |\n| a < b | {x} |',
  '[1] See the table. [2] And <b>this</b>.',
  '{"region": "north", "n": 250}',
  '[{"id": 1, "name": "north"}, {"id": 2, "name": "south"}]',
  '{"name": "Miller", "type": "customer", "id": 7}',
  'x < y, y <z, 3 <4 and <|',
  'executeSQL(sql) is the tool that I used.',
  'Action: none is needed.',
  'analysis of the data shows 5.',
  'Analysis: the final answer is 5.',
  '`unclosed and <think',
  'a\n\n\nb   \n',
  '- **SQL**: `select 1`\n- *note*: <5%\n',
  '1 < 2 </ 3 [x] [A] [TODO] ◁ ▷',
  'print(1) prints one.',
  'select * from orders',
];

describe('an answer is not changed', () => {
  test.each(ANSWERS)('%s', (text) => {
    for (const way of everyWay(text)) expect(way).toEqual({ text, reasoning: '', calls: [], hasUnreadableCall: false });
  });

  test('with any text without markup', () => {
    const sign = fc.constantFrom(...('abc 5.,\n|-*_()#:;"\'<>[]{}`=/\\é日😀'.match(/./gsu) ?? []));
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 120 }), fc.nat(), (text, seed) => {
        const at = text.length === 0 ? 0 : seed % text.length;
        const expected = { text, reasoning: '', calls: [], hasUnreadableCall: false };
        expect(read([text.slice(0, at), text.slice(at)], true)).toEqual(expected);
        expect(read([...text], true)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

test('every cut into pieces shows the same', () => {
  const texts = [...Object.values(WRITTEN), ...ANSWERS, '<think>a</think>One.', 'x</think>y'];
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(fc.nat(300), { maxLength: 8 }), (text, cuts) => {
      const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
      const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
      const [whole, cut] = [read([text], true), read(pieces, true)];
      expect(cut.calls).toEqual(whole.calls);
      if (!text.startsWith('x</think>')) expect(cut.text).toBe(whole.text);
    }),
    { numRuns: 500 },
  );
});
