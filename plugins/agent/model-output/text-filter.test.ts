/** Tests what a user sees of a model's text, and which calls are read from it, however the text is cut into pieces. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { offeredTools } from './offered-tools.ts';
import { TextFilter } from './text-filter.ts';

const TOOLS = offeredTools(['executeSQL', 'queryMetrics', 'describeTable']);
const SQL = "select count(*) as n from orders where region = 'north' and amount < 5";
const call = { name: 'executeSQL', args: { sql: SQL } };

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

const json = JSON.stringify({ name: 'executeSQL', arguments: { sql: SQL } });
const parameters = JSON.stringify({ name: 'executeSQL', parameters: { sql: SQL } });
const args = JSON.stringify({ sql: SQL });
const python = `{'name': 'executeSQL', 'arguments': {'sql': "${SQL}"}}`;

/** One call of `executeSQL` in each. */
const WRITTEN: Readonly<Record<string, string>> = {
  Hermes: `<tool_call>\n${json}\n</tool_call>`,
  'Hermes, not closed': `<tool_call>\n${json}`,
  'Hermes, a Python dictionary': `<tool_call>\n${python}\n</tool_call>`,
  'Hermes, a brace missing': `<tool_call>\n${json.slice(0, -1)}\n</tool_call>`,
  'Hermes, in a fence': `\`\`\`xml\n<tool_call>\n${json}\n</tool_call>\n\`\`\``,
  'Hermes, then an invented result': `<tool_call>\n${json}\n</tool_call>\n<tool_response>\n{"n": 7}\n</tool_response>\nThere are 7.`,
  'Hermes, arguments as text': `<tool_call>{"name":"executeSQL","arguments":${JSON.stringify(args)}}</tool_call>`,
  'tool_calls element': `<tool_calls>[${json}]</tool_calls>`,
  'TOOLCALL element': `<TOOLCALL>[${json}]</TOOLCALL>`,
  Mistral: `[TOOL_CALLS][${json}]`,
  'Mistral, new': `[TOOL_CALLS]executeSQL[ARGS]${args}`,
  'Mistral, with an id': `[TOOL_CALLS]executeSQL[CALL_ID]a1b2c3d4e[ARGS]${args}`,
  'LM Studio': `[TOOL_REQUEST]\n${json}\n[END_TOOL_REQUEST]`,
  'Llama 3.1': `<|python_tag|>${parameters}`,
  'Llama 3.1, with its end': `<|python_tag|>${parameters}<|eom_id|>`,
  'Llama 3.1, Python': `<|python_tag|>executeSQL.call(sql="${SQL}")`,
  'Llama 3.1, function element': `<function=executeSQL>${args}</function>`,
  'Llama 3.1, tag not closed': `<function=executeSQL${args}</function>`,
  'Llama 3.2, bare JSON': parameters,
  'Llama 3.2, type first': `{"type": "function", "name": "executeSQL", "parameters": ${args}}`,
  'Llama 4': `<|python_start|>[executeSQL(sql="${SQL}")]<|python_end|>`,
  'Llama 4, bare': `[executeSQL(sql="${SQL}")]`,
  'OpenAI shape': `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "executeSQL", "arguments": ${JSON.stringify(args)}}}]}`,
  'JSON fence': `\`\`\`json\n${json}\n\`\`\``,
  'JSON fence, indented': `\`\`\`json\n${JSON.stringify(JSON.parse(json), null, 2)}\n\`\`\``,
  'bare fence': `\`\`\`\n${json}\n\`\`\``,
  'several lines of bare JSON': JSON.stringify(JSON.parse(json), null, 2),
  'Qwen3-Coder': `<tool_call>\n<function=executeSQL>\n<parameter=sql>\n${SQL}\n</parameter>\n</function>\n</tool_call>`,
  'Qwen3-Coder, no envelope': `<function=executeSQL>\n<parameter=sql>\n${SQL}\n</parameter>\n</function>\n</tool_call>`,
  'Seed-OSS': `<seed:tool_call>\n<function=executeSQL>\n<parameter=sql>${SQL}</parameter>\n</function>\n</seed:tool_call>`,
  MiniMax: `<minimax:tool_call>\n<invoke name="executeSQL">\n<parameter name="sql">${SQL}</parameter>\n</invoke>\n</minimax:tool_call>`,
  Anthropic: `<function_calls>\n<invoke name="executeSQL">\n<parameter name="sql">${SQL}</parameter>\n</invoke>\n</function_calls>`,
  'Anthropic, old': `<function_calls>\n<invoke>\n<tool_name>executeSQL</tool_name>\n<parameters>\n<sql>${SQL}</sql>\n</parameters>\n</invoke>\n</function_calls>`,
  'invoke alone': `<invoke name="executeSQL">\n<parameter name="sql">${SQL}</parameter>\n</invoke>`,
  GLM: `<tool_call>executeSQL\n<arg_key>sql</arg_key>\n<arg_value>${SQL}</arg_value>\n</tool_call>`,
  'GLM-4': `executeSQL\n${args}`,
  harmony: `<|channel|>analysis<|message|>Counting.<|end|><|start|>assistant<|channel|>commentary to=functions.executeSQL <|constrain|>json<|message|>${args}<|call|>`,
  'harmony, recipient in the role': `<|start|>assistant to=functions.executeSQL<|channel|>commentary json<|message|>${args}<|call|>`,
  'harmony without tokens': `analysisWe need to count.assistantcommentary to=functions.executeSQL json${args}`,
  'harmony, only the call without tokens': `commentary to=functions.executeSQL json${args}`,
  'DeepSeek V3': `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>executeSQL\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  'DeepSeek V3.1': `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>executeSQL<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  'DeepSeek V3.2': `<｜DSML｜function_calls>\n<｜DSML｜invoke name="executeSQL">\n<｜DSML｜parameter name="sql" string="true">${SQL}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  'Kimi K2': `<|tool_calls_section_begin|><|tool_call_begin|>functions.executeSQL:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  'Granite, Phi-4': `<|tool_call|>[${json}]<|/tool_call|>`,
  InternLM: `<|action_start|><|plugin|>\n${parameters}<|action_end|>`,
  LFM2: `<|tool_call_start|>[executeSQL(sql="${SQL}")]<|tool_call_end|>`,
  'Gemma 3': `\`\`\`tool_code\nprint(default_api.executeSQL(sql="${SQL}"))\n\`\`\``,
  'Gemma 4': `<|tool_call>call:executeSQL{sql:<|"|>${SQL}<|"|>}<tool_call|>`,
  FunctionGemma: `<start_function_call>call:executeSQL{sql:<escape>${SQL}<escape>}<end_function_call>`,
  Olmo: `<function_calls>\nexecuteSQL(sql="${SQL}")\n</function_calls>`,
  'Command R': `Action: \`\`\`json\n[{"tool_name": "executeSQL", "parameters": ${args}}]\n\`\`\``,
  Cohere: `<|START_THINKING|>I will count.<|END_THINKING|><|START_ACTION|>[{"tool_call_id": "0", "tool_name": "executeSQL", "parameters": ${args}}]<|END_ACTION|>`,
  ReAct: `Action: executeSQL\nAction Input: ${args}`,
  'the element of a tool': `<executeSQL>\n<sql>${SQL}</sql>\n</executeSQL>`,
  multi_tool_use: `{"tool_uses": [{"recipient_name": "functions.executeSQL", "parameters": ${args}}]}`,
  'name as key': `{"executeSQL": ${args}}`,
  'arguments beside the name': `{"name": "executeSQL", "sql": ${JSON.stringify(SQL)}}`,
  Groq: `executeSQL${args}</function>`,
  'name in snake case': `<tool_call>{"name": "execute_sql", "arguments": ${args}}</tool_call>`,
  'name with a namespace': `<tool_call>{"name": "functions.executeSQL", "arguments": ${args}}</tool_call>`,
};

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

  test('of a tool that is not offered is returned when it has markup, and text otherwise', () => {
    for (const way of everyWay('<tool_call>{"name": "getWeather", "arguments": {}}</tool_call>')) {
      expect(way).toMatchObject({ text: '', calls: [{ name: 'getWeather', args: {} }] });
    }
    const bare = '{"name": "getWeather", "arguments": {}}';
    for (const way of everyWay(bare)) expect(way).toMatchObject({ text: bare, calls: [], hasUnreadableCall: false });
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
