/**
 * Tests documented misbehaviour of models and servers over the real protocol, streamed and not: each ends in a useful
 * answer, or in a sentence that names cause and remedy.
 */
import { describe, expect, test } from 'vitest';
import { healthCheck } from '../../kernel/index.ts';
import { writtenAs } from '../../test/fixtures/written-as.ts';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { answer, args, asked, COUNT, event, FAILURES, question, recovers, ways } from './fixtures/misbehaviour.ts';
import { type Answer, agent } from './index.ts';

describe('a call written as text is run', () => {
  test.each(Object.entries(writtenAs(COUNT)))('%s', async (_, text) => {
    await recovers([{ text }, answer], 2);
  });

  test('beside a sentence', () =>
    recovers([{ text: `Let me look.\n<tool_call>{"name":"executeSQL","arguments":${args}}</tool_call>` }, answer], 2));

  test('inside the reasoning', async () => {
    const reasoning_content = `I count.\n<tool_call>{"name":"executeSQL","arguments":${args}}</tool_call>`;
    await recovers([{ message: { reasoning_content, content: null } }, answer], 2);
  });

  test('with finish reason "tool_calls" and no calls', () =>
    recovers(
      [
        { text: `<tool_call>{"name":"executeSQL","arguments":${args}}</tool_call>`, finishReason: 'tool_calls' },
        answer,
      ],
      2,
    ));

  test('of a tool that does not exist: the model is told which do', () =>
    recovers([
      { text: '<tool_call>{"name":"getWeather","arguments":{"city":"Rome"}}</tool_call>' },
      callSql(COUNT),
      answer,
    ]));

  test('that breaks off: the model is asked to write it properly', () =>
    recovers([{ text: '<tool_call>{"name":"executeSQL","arguments":{"sql":"select' }, callSql(COUNT), answer]));

  test('that never can be read ends in a sentence', async () => {
    for (const end of await asked(() => ({ text: '<tool_call>{"name":"executeSQL","arguments":{"sql":"select' }), 3)) {
      expect(end.text).toMatch(/cannot be read.*--tool-call-parser/);
    }
  });

  test('in the step without tools is not shown', async () => {
    const text = `<tool_call>{"name":"executeSQL","arguments":${args}}</tool_call>`;
    for (const end of await asked(() => ({ text }), 4)) expect(end.text).toMatch(/same tool call|500/);
  });
});

describe('a query as text is run and not shown', () => {
  test.each([
    `\`\`\`sql\n${COUNT}\n\`\`\``,
    `\`\`\`\n${COUNT}\n\`\`\``,
    `~~~sql\n${COUNT}\n~~~`,
    `To answer this, run:\n\n\`\`\`sql\n${COUNT}\n\`\`\`\n\nThis counts all rows.`,
    `<think>I need a query.</think>\n\`\`\`sql\n${COUNT}\n\`\`\``,
    `1. Run this:\n   \`\`\`\n   ${COUNT}\n   \`\`\``,
    `SQL: ${COUNT}`,
    `**SQL Query:**\n${COUNT}`,
    `SQLQuery: ${COUNT}\nSQLResult:`,
    `\`${COUNT}\``,
    `<sql>${COUNT}</sql>`,
    `I would run this query:\n\n${COUNT}`,
  ])('%j', async (text) => {
    await recovers([{ text }, answer], 2);
    for (const end of await asked([{ text }, answer], 2)) expect(end.text).not.toMatch(/select|```|~~~/);
  });
});

test.each([`Here is the query: ${COUNT};`, `\`\`\`sql\n${COUNT}\n\`\`\`\nor\n\`\`\`sql\n${COUNT} limit 1\n\`\`\``])(
  'queries that are not clear are asked for as a call: %j',
  async (text) => {
    const script = [{ text }, callSql(COUNT), answer];
    await recovers(script);
    for (const end of await asked(script, 3)) expect(end.text).toMatch(/(?:^|\n\n)There are 500 orders\.$/);
  },
);

describe('thoughts are not shown', () => {
  const looked = callSql(COUNT);
  test.each([
    ['<think>', '<think>The user wants a count.</think>There are 500 orders.'],
    ['without a beginning', 'Okay, the user wants a count.\n</think>\n\nThere are 500 orders.'],
    ['◁think▷', '◁think▷Counting◁/think▷There are 500 orders.'],
    ['[THINK]', '[THINK]Counting[/THINK]There are 500 orders.'],
    [
      'harmony',
      '<|channel|>analysis<|message|>Counting<|end|><|start|>assistant<|channel|>final<|message|>There are 500 orders.',
    ],
    ['Thinking:', 'Thinking: I count them.\n\nThere are 500 orders.'],
    ['a named process', '**Thinking Process:**\n\n1. Counting.\n\n**Answer:** There are 500 orders.'],
    ['harmony without tokens', 'analysisWe count.assistantfinalThere are 500 orders.'],
    ['thoughts inside thoughts', '<think>Counting <think>counting</think> counting</think>There are 500 orders.'],
    ['<reasoning> and <answer>', '<reasoning>Counting</reasoning><answer>There are 500 orders.</answer>'],
  ])('%s', async (_, text) => {
    await recovers([looked, { text }], 2);
    for (const end of await asked([looked, { text }], 2)) expect(end.text).not.toMatch(/count/i);
  });

  test('beside native calls', () => recovers([{ ...looked, text: '<think>I should count.</think>' }, answer], 2));
  test('that never end: the model is asked once more', () =>
    recovers([looked, { text: '<think>Counting, counting' }, answer]));
  test.each<Step>([
    { message: { reasoning_content: 'The result is 500, I think.', content: null } },
    { message: { reasoning: 'The result is 500, I think.', content: '' } },
    { text: '<think>The result is 500, I think.</think>' },
    { text: '<|channel|>analysis<|message|>The result is 500, I think.' },
    { text: 'Thought: The result is 500, I think.' },
  ])('%j is no answer: the model is asked once more, and else has given none', async (step) => {
    await recovers([looked, step, answer]);
    for (const end of await asked([looked, step, step], 3)) {
      expect(end.answer).toMatchObject({ outcome: 'failed', data: [{ rows: [{ n: 500 }] }] });
      expect(end.text).toMatch(/without an answer.*in the table/);
    }
  });
  test('reasoning without a call: the model is asked once more', () =>
    recovers([{ message: { reasoning_content: 'I should call executeSQL.', content: '' } }, looked, answer]));
});

describe('arguments are read', () => {
  const withArgs = (sent: unknown, name = 'executeSQL'): Step => ({ toolCall: { name, args: sent } });
  test.each<[string, Step]>([
    ['a Python dictionary', withArgs(`{'sql': '${COUNT}', 'connectionId': None}`)],
    ['a fence', withArgs(`\`\`\`json\n${args}\n\`\`\``)],
    ['junk behind them', withArgs(`${args}</function>`)],
    ['a brace too many', withArgs(`${args}}`)],
    ['a brace too few', withArgs(args.slice(0, -1))],
    ['a comma too many', withArgs(`{"sql": "${COUNT}",}`)],
    ['bare line breaks', withArgs(`{"sql": "${COUNT}\n"}`)],
    ['encoded twice', withArgs(JSON.stringify(args))],
    ['twice', withArgs(`${args}${args}`)],
    ['behind an empty object', withArgs(`{}${args}`)],
    ['the statement alone', withArgs(COUNT)],
    ['query', withArgs({ query: COUNT })],
    ['statement', withArgs({ statement: COUNT, explanation: 'Counts.' })],
    ['sql_query', withArgs({ sql_query: COUNT })],
    ['SQL', withArgs({ SQL: COUNT, connection_id: 'shop' })],
    ['null', withArgs({ sql: COUNT, connectionId: null })],
    ['the word null', withArgs({ sql: COUNT, connectionId: 'null' })],
    ['a list of one', withArgs({ sql: [COUNT] })],
    ['under arguments', withArgs({ name: 'executeSQL', arguments: { sql: COUNT } })],
    ['under input, as text', withArgs({ input: args })],
    ['functions.executeSQL', withArgs({ sql: COUNT }, 'functions.executeSQL')],
    ['default_api.executeSQL', withArgs({ sql: COUNT }, 'default_api.executeSQL')],
    ['execute_sql', withArgs({ sql: COUNT }, 'execute_sql')],
    ['ExecuteSQL', withArgs({ sql: COUNT }, 'ExecuteSQL')],
    ['mcp__atlas__executeSQL', withArgs({ sql: COUNT }, 'mcp__atlas__executeSQL')],
    ['a fenced statement', withArgs({ sql: `\`\`\`sql\n${COUNT}\n\`\`\`` })],
    ['a fenced statement alone', withArgs(`\`\`\`sql\n${COUNT}\n\`\`\``)],
    ['doubled braces', withArgs(`{${args}}`)],
    ['escaped quotation marks', withArgs(args.replaceAll('"', '\\"'))],
    ['comments', withArgs(`{\n  // counts\n  "sql": "${COUNT}" /* all */\n}`)],
    ['backquotes', withArgs(`{"sql": \`${COUNT}\`}`)],
    ['under kwargs', withArgs({ kwargs: { sql: COUNT } })],
    ['a name with control tokens', withArgs({ sql: COUNT }, 'executeSQL<|channel|>commentary')],
    ['a name behind control tokens', withArgs({ sql: COUNT }, 'assistant<|channel|>executeSQL')],
    ['a name in quotation marks', withArgs({ sql: COUNT }, '"executeSQL"')],
    ['the call as the name', withArgs('', `executeSQL(sql="${COUNT}")`)],
    ...['run_sql', 'sql', 'runQuery', 'execute_query', 'sql_db_query', 'executeSQL_tool', 'query_database'].map(
      (name): [string, Step] => [`the name ${name}`, withArgs({ query: COUNT }, name)],
    ),
    ['a connection that the model made up', withArgs({ sql: COUNT, connectionId: 'main' })],
    ['an object for the connection', withArgs({ sql: COUNT, connectionId: {} })],
    ['typographic quotation marks', withArgs(`{“sql”: “${COUNT}”, “connectionId”: ‘shop’}`)],
    ['entities for quotation marks', withArgs(args.replaceAll('"', '&quot;'))],
    ['a word in front of them', withArgs(`Here: ${args}`)],
    ['null in front of them', withArgs(`null${args}`)],
    ['the value beside its type', withArgs({ sql: { type: 'string', value: COUNT } })],
    ['the statement inside itself', withArgs({ sql: { description: 'Counts.', sql: COUNT } })],
    [
      'multi_tool_use.parallel',
      withArgs(
        { tool_uses: [{ recipient_name: 'functions.executeSQL', parameters: { sql: COUNT } }] },
        'multi_tool_use.parallel',
      ),
    ],
  ])('%s', async (_, step) => {
    for (const end of await asked([step, answer], 2)) {
      expect(end.error).toBeUndefined();
      expect(end.text).toContain('There are 500 orders.');
      expect(end.answer?.sql.map((sql) => sql.trim())).toEqual([COUNT]);
    }
  });

  test('what is ambiguous is told to the model with what is allowed', async () => {
    await using scripted = await scriptedApp([
      withArgs({ a: 'x', b: 'y' }),
      withArgs({ sql: COUNT }, 'lookUp'),
      callSql(COUNT),
      answer,
    ]);
    await scripted.app.get(agent).answer(question, scripted.app.scope());
    const told = scripted.server.requests.at(-1)?.toolResults.map((text) => JSON.parse(text).hint);
    expect(told?.[0]).toContain('sql (required), connectionId');
    expect(told?.[1]).toContain('executeSQL');
  });
});

describe('a statement', () => {
  const repairs = ({ notes = [] }: Partial<Answer> = {}) => notes.filter(({ code }) => code === 'sql_repaired');
  test.each([
    ['with entities', `${COUNT} where 1 &lt; 2`, `${COUNT} where 1 < 2`],
    ['behind a label', `SQL: ${COUNT}`, COUNT],
    ['with escaped white space', COUNT.replace(' from', '\\nfrom'), COUNT],
    ['in typographic quotation marks', `${COUNT} where note is not ‘a b’`, `${COUNT} where note is not 'a b'`],
  ])('%s cannot be read: it is repaired, and the answer says so', async (_, sql, repaired) => {
    for (const end of await asked([callSql(sql), answer], 2)) {
      expect(end.answer).toMatchObject({ outcome: 'answered', sql: [repaired] });
      expect(repairs(end.answer)).toHaveLength(1);
    }
  });

  test.each([
    `${COUNT} -- it's what ‘they’ want`,
    `${COUNT} /* it's */ where 'C:\\temp\\new' <> '&lt; “so”'`,
    `select count(*) as "‘n’" from orders`,
  ])('%s can be read: it runs as it was written', async (sql) => {
    for (const end of await asked([callSql(sql), answer], 2)) {
      expect(end.answer).toMatchObject({ outcome: 'answered', sql: [sql] });
      expect(repairs(end.answer)).toEqual([]);
    }
  });

  test('is repaired again when it is written again', async () => {
    const escaped = `${COUNT} where 1 &lt; 2`;
    for (const end of await asked([callSql(escaped), callSql(escaped), answer], 3)) {
      expect(end.answer).toMatchObject({ outcome: 'answered', data: [{ rows: [{ n: 500 }] }, { rows: [{ n: 500 }] }] });
    }
  });

  test('that cannot be read after its repair either fails with the reason', async () => {
    await using scripted = await scriptedApp([callSql('SQL: select ‘x from orders'), callSql(COUNT), answer]);
    await scripted.app.get(agent).answer(question, scripted.app.scope());
    const [told] = scripted.server.requests.at(-1)?.toolResults ?? [];
    expect(told).toContain('is not closed');
  });
});

describe('calls in an odd form', () => {
  const piece = (more: object, called: object = {}) => ({ tool_calls: [{ ...more, function: called }] });
  const both = ['select 1 as a', 'select 2 as a'];
  const [one, two] = both.map((sql) => JSON.stringify({ sql }));
  test.each<[string, readonly object[], readonly string[]]>([
    [
      'two with index 0 and no id',
      [
        piece({ index: 0 }, { name: 'executeSQL', arguments: one }),
        piece({ index: 0 }, { name: 'executeSQL', arguments: two }),
      ],
      both,
    ],
    [
      'two with index 0 and ids',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: one }),
        piece({ index: 0, id: 'b' }, { name: 'executeSQL', arguments: two }),
      ],
      both,
    ],
    [
      'an id at each piece',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: '' }),
        piece({ index: 0, id: 'a' }, { arguments: args.slice(0, 9) }),
        piece({ index: 0, id: 'a' }, { arguments: args.slice(9) }),
      ],
      [COUNT],
    ],
    [
      'id and name at each piece',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: args.slice(0, 9) }),
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: args.slice(9) }),
      ],
      [COUNT],
    ],
    [
      'id, name and a number of its own at each piece',
      [args.slice(0, 5), args.slice(5, 12), args.slice(12)].map((part, index) =>
        piece({ index, id: 'a' }, { name: 'executeSQL', arguments: part }),
      ),
      [COUNT],
    ],
    [
      'two whole calls with one id',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: one }),
        piece({ index: 1, id: 'a' }, { name: 'executeSQL', arguments: two }),
      ],
      both,
    ],
    ['empty ids', [piece({ index: 0, id: '' }, { name: 'executeSQL', arguments: args })], [COUNT]],
    [
      'empty ids and names at each piece',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: args.slice(0, 9) }),
        piece({ index: 0, id: '' }, { name: '', arguments: args.slice(9) }),
      ],
      [COUNT],
    ],
    ['no index', [piece({ id: 'a' }, { name: 'executeSQL', arguments: args })], [COUNT]],
    [
      'arguments as an object',
      [piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: { sql: COUNT } })],
      [COUNT],
    ],
    [
      'the same call twice',
      [
        piece({ index: 0, id: 'a' }, { name: 'executeSQL', arguments: args }),
        piece({ index: 1, id: 'b' }, { name: 'executeSQL', arguments: args }),
      ],
      [COUNT],
    ],
  ])('%s', async (_, deltas, sql) => {
    const merged = deltas.flatMap((delta) => (delta as { tool_calls: object[] }).tool_calls);
    await using scripted = await scriptedApp([
      { deltas, message: { tool_calls: merged.slice(0, 1) }, finishReason: 'tool_calls' },
      answer,
    ]);
    const end = await ways.chat?.(scripted.app);
    expect(end).toMatchObject({ error: undefined, answer: { sql, text: 'There are 500 orders.' } });
  });
});

describe('one call without a list', () => {
  const called = { name: 'executeSQL', arguments: args };
  test.each<[string, object]>([
    ['function_call', { function_call: called }],
    ['an object', { tool_calls: { id: 'a', type: 'function', function: called } }],
  ])('%s', async (_, message) => {
    await recovers([{ message, deltas: [message], finishReason: 'function_call' }, answer], 2);
  });
});

describe('replies in an odd form', () => {
  const looked = callSql(COUNT);
  test.each<[string, readonly Step[], number]>([
    ['calls with finish reason "stop"', [{ ...looked, finishReason: 'stop' }, answer], 2],
    [
      'no finish reason',
      [
        { ...looked, finishReason: null },
        { ...answer, finishReason: null },
      ],
      2,
    ],
    ['an unknown finish reason', [looked, { ...answer, finishReason: 'eos_token' }], 2],
    [
      'no usage',
      [
        { ...looked, usage: null },
        { ...answer, usage: null },
      ],
      2,
    ],
    ['an empty answer', [looked, { text: '' }, answer], 3],
    ['an empty first reply', [{ text: '' }, looked, answer], 3],
    ['white space', [looked, { text: ' \n' }, answer], 3],
    ['control tokens alone', [looked, { text: '<|im_end|>' }, answer], 3],
    [
      'control tokens behind the answer',
      [looked, { text: 'There are 500 orders.<|im_end|>\n<|im_start|>user\nAnd?' }],
      2,
    ],
    [
      'Gemini: a malformed call',
      [{ text: '', finishReason: 'function_call_filter: MALFORMED_FUNCTION_CALL' }, looked, answer],
      3,
    ],
    [
      'Groq: a failed generation that can be read',
      [
        {
          status: 400,
          body: {
            error: {
              message: 'Failed to call a function.',
              type: 'invalid_request_error',
              code: 'tool_use_failed',
              failed_generation: `<function=executeSQL>${args}</function>`,
            },
          },
        },
        answer,
      ],
      2,
    ],
    [
      'Groq: a failed generation that cannot',
      [
        {
          status: 400,
          body: {
            error: {
              message: 'Failed to call a function.',
              type: 'invalid_request_error',
              code: 'tool_use_failed',
              failed_generation: '### Stories',
            },
          },
        },
        looked,
        answer,
      ],
      3,
    ],
    [
      'Ollama: a call that its parser refuses',
      [
        {
          status: 500,
          body: { error: { message: "error parsing tool call: raw='{', err=unexpected end of JSON input" } },
        },
        looked,
        answer,
      ],
      3,
    ],
    ['no system role', [{ status: 400, body: { error: { message: 'System role not supported' } } }, looked, answer], 3],
    [
      'no reasoning in messages',
      [
        { ...looked, message: { reasoning_content: 'I count.' } },
        { status: 400, body: { error: { message: "'messages.2' : property 'reasoning_content' is unsupported" } } },
        answer,
      ],
      3,
    ],
    [
      'unknown stream_options',
      [
        { status: 400, body: { error: { message: 'Unrecognized request argument supplied: stream_options' } } },
        looked,
        answer,
      ],
      3,
    ],
  ])('%s', async (name, script, most) => {
    // Only a stream asks for its options.
    if (name !== 'unknown stream_options') return recovers(script, most);
    await using scripted = await scriptedApp([...script, looked, answer]);
    for (const steps of [2, 2]) {
      const end = await ways.chat?.(scripted.app);
      expect(end).toMatchObject({ error: undefined, text: 'There are 500 orders.', answer: { steps } });
      // A stream without its options reports no usage.
      expect(end?.answer?.usage).toMatchObject({ estimated: true });
      expect(end?.answer?.usage.inputTokens).toBeGreaterThan(500);
    }
    expect(scripted.server.requests.slice(1).some(({ text }) => text.includes('stream_options'))).toBe(false);
  });

  test('tokens that are not reported are estimated, and said to be', async () => {
    for (const own of [null, { input: 0, output: 0 }]) {
      const script = [
        { ...looked, usage: own },
        { ...answer, usage: { input: 1_000, output: 20 } },
      ];
      for (const { answer: end } of await asked(script, 2)) {
        const { inputTokens = 0, outputTokens = 0, totalTokens, estimated } = end?.usage ?? {};
        expect([inputTokens > 1_500, outputTokens > 20, totalTokens, estimated]).toEqual([
          true,
          true,
          inputTokens + outputTokens,
          true,
        ]);
      }
    }
    for (const { answer: end } of await asked([looked, answer], 2)) {
      expect(end?.usage).toEqual({ inputTokens: 200, outputTokens: 40, totalTokens: 240 });
    }
  });

  test('tools are refused in streams: asked without streaming', async () => {
    const refused: Step = {
      status: 400,
      body: { error: { message: 'Streaming is not supported when tools are used.' } },
    };
    await using scripted = await scriptedApp((request, n) => (request.stream ? refused : n === 1 ? looked : answer));
    expect(await ways.chat?.(scripted.app)).toMatchObject({ error: undefined, text: 'There are 500 orders.' });
  });

  test('nothing but empty replies ends in a sentence', async () => {
    for (const end of await asked(() => ({ text: '' }), 2))
      expect(end.text).toMatch(/without an answer.*raise the limits/);
    const [first, ...rest] = [callSql(COUNT), { text: '' }, { text: '' }];
    for (const end of await asked([first as Step, ...rest], 3)) expect(end.text).toMatch(/in the table/);
  });

  test('a refusal is shown, a withheld answer explained', async () => {
    for (const end of await asked(() => ({ message: { refusal: 'I cannot help.', content: null } }), 1))
      expect(end.text).toBe('I cannot help.');
    for (const end of await asked(() => ({ text: '', finishReason: 'content_filter' }), 1))
      expect(end.text).toMatch(/content filter/);
  });

  test('a reply cut by the token limit before an answer says what to raise', async () => {
    for (const end of await asked(() => ({ text: '<think>Counting', finishReason: 'length' }), 1)) {
      expect(end.text).toMatch(/output limit.*Raise/);
    }
  });

  test('the answer as a call of a tool for answers is the answer', () =>
    recovers([looked, { toolCall: { name: 'final_answer', args: { answer: 'There are 500 orders.' } } }], 2));

  test('what a server says instead of an answer is understood', async () => {
    const bodies = [
      { code: 'Arrearage', message: 'Access denied: insufficient balance.' },
      { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    ];
    for (const body of bodies) {
      for (const end of await asked(() => ({ status: 200, body }), 1)) expect(end.error).toMatch(/used up.*billing/);
    }
  });

  test('so is that of a server which does not speak the Responses API', async () => {
    for (const [body, said] of [
      [{ choices: [{ message: { content: 'Hello.' } }] }, /speaks Chat Completions.*SVC_PROVIDER=openai-compatible/],
      [{ error: 'Unexpected endpoint or method. (POST /responses)' }, /base URL/],
      [{ code: 'Arrearage', message: 'Access denied: insufficient balance.' }, /used up.*billing/],
    ] as const) {
      for (const ask of Object.values(ways)) {
        const model = { provider: 'openai', apiKey: 'sk-test' } as const;
        await using scripted = await scriptedApp(() => ({ status: 200, body }), { model });
        expect((await ask(scripted.app)).error).toMatch(said);
      }
    }
  });

  test.each<[string, object | string]>([
    ['rate_limit', { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' }],
    ['rate_limit', { message: 'Rate limit exceeded: free-models-per-min', code: 429, metadata: {} }],
    ['rate_limit', { message: 'Slow down', type: 'rate_limit_error' }],
    ['rate_limit', { message: 'Slow down', status: 429 }],
    ['rate_limit', { message: '', code: 'rate_limit_exceeded' }],
    ['auth_error', { message: 'No credentials found', code: 401 }],
    ['auth_error', { message: 'User not found', type: 'authentication_error' }],
    ['model_not_found', { message: 'Not here', type: 'not_found_error' }],
    ['timeout', { message: 'The upstream took too long', code: 408 }],
    ['timeout', { message: 'Request timed out', type: 'timeout' }],
    ['error', { message: 'The server had an error', type: 'server_error' }],
  ])('an error inside a 200 is a provider_%s: %j', async (code, error) => {
    for (const provider of ['openai', 'openai-compatible'] as const) {
      const begun =
        provider === 'openai'
          ? { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: 'There are many orders here.' }
          : { choices: [{ delta: { content: 'There are many orders here.' } }] };
      const failure = event(provider === 'openai' ? { type: 'error', error } : { error });
      for (const body of [{ error }, failure, event(begun) + failure]) {
        for (const ask of Object.values(ways)) {
          const headers = typeof body === 'string' ? { 'content-type': 'text/event-stream' } : {};
          const model = { provider, apiKey: 'sk-test' } as const;
          await using scripted = await scriptedApp(() => ({ status: 200, body, headers }), { model });
          const end = await ask(scripted.app);
          expect(end).toMatchObject({ code: `provider_${code}`, answer: undefined });
          expect(end.error).not.toContain('cannot be used');
        }
      }
    }
  });

  describe.each(['openai', 'openai-compatible'] as const)(
    '%s: the cause of a stream that fails is told',
    (provider) => {
      const model = { provider, apiKey: 'sk-test-secret' } as const;
      const words = ['There are many ', 'orders here.'];
      const begun = words
        .map((delta) =>
          event(
            provider === 'openai'
              ? { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta }
              : { choices: [{ delta: { content: delta } }] },
          ),
        )
        .join('');

      async function failed(body: string): Promise<{ readonly error: string | undefined; readonly code?: unknown }> {
        const headers = body.startsWith('data') ? { 'content-type': 'text/event-stream' } : {};
        const ends = [];
        for (const ask of Object.values(ways)) {
          await using scripted = await scriptedApp(() => ({ status: 200, body, headers }), { model });
          const { error, code, answer: end } = await ask(scripted.app);
          expect([end, error]).toEqual([undefined, expect.not.stringMatching(/sk-test|reached for|CANARY/)]);
          ends.push({ error, code });
        }
        expect(ends[1]).toEqual(ends[0]);
        return ends[0] as Awaited<ReturnType<typeof failed>>;
      }

      test.each(Object.entries(FAILURES))('by %s', async (_, failure) => {
        const causes = [
          [{ message: 'Rate limit reached for sk-test-secret.' }, /takes no more requests.*allows the next one in/],
          [{ message: 'Overloaded CANARY', type: 'overloaded_error' }, /is overloaded.*SVC_FALLBACK_MODEL/],
          [
            { message: 'The maximum context length is 4096 tokens.' },
            /longer than the model.*start a new conversation/,
          ],
          [{ message: 'Filtered by the content management policy' }, /content filter.*Word the question differently/],
        ] as const;
        for (const [error, said] of causes) expect((await failed(failure(begun, error))).error).toMatch(said);
        const { error, code } = await failed(failure(begun, { message: 'Rate limit reached' }));
        expect([code, error]).toEqual(['provider_rate_limit', expect.stringContaining('takes no more requests')]);
      });

      test('by its end', async () => {
        for (const body of [begun, `${begun}data: {"choices":[{"del`, 'data: [DONE]\n\n', ': ping\n\n', '']) {
          if (provider === 'openai-compatible' && body.includes('DONE')) continue;
          expect((await failed(body)).error).toMatch(/broke off.*timeouts/);
        }
      });
    },
  );

  test.each([
    ['error', /broke off.*timeouts/],
    ['abort', /broke off.*timeouts/],
    ['insufficient_system_resource', /is overloaded/],
  ])('an answer that ends with "%s" is none', async (finishReason, said) => {
    for (const end of await asked(() => ({ text: 'There are many', finishReason }), 1)) {
      expect(end).toMatchObject({ answer: undefined, error: expect.stringMatching(said), code: 'provider_error' });
    }
  });

  test('an error inside a 200 is named', async () => {
    for (const end of await asked(
      () => ({ status: 200, body: { error: { message: 'Insufficient Balance', code: 402 } } }),
      1,
    ))
      expect(end.error).toMatch(/used up.*billing/);
    for (const end of await asked(() => ({ status: 200, body: { error: 'model "x" does not support tools' } }), 1))
      expect(end.error).toMatch(/cannot call tools/);
  });

  test('a web page with 200 is named', async () => {
    for (const end of await asked(() => ({ garbage: 'not-json' }), 2)) expect(end.error).toMatch(/web page.*\/v1/);
  });

  test('an answer that breaks off is no answer', async () => {
    for (const garbage of ['cut', 'truncated'] as const) {
      for (const end of await asked(() => ({ text: 'There are many orders in all.', garbage }), 1)) {
        expect(end.error).toMatch(garbage === 'cut' ? /broke off.*timeouts/ : /broke off|cannot be used/);
      }
    }
  });
});

describe('without progress the calls end', () => {
  const last = (request: { readonly tools: readonly string[] }, step: Step) =>
    request.tools.length === 0 ? answer : step;

  test('the same call with the same result', async () => {
    for (const ask of Object.values(ways)) {
      await using scripted = await scriptedApp((request) => last(request, callSql(COUNT)));
      expect(await ask(scripted.app)).toMatchObject({ text: expect.stringContaining('There are 500 orders.') });
      expect(scripted.server.requests).toHaveLength(3);
      expect(scripted.server.requests[2]?.instructions).toContain('The same call was made again');
    }
  });

  test('the same call in other white space', async () => {
    await using scripted = await scriptedApp((request, n) => last(request, callSql(`${COUNT}${' '.repeat(n)}`)));
    expect((await ways.query?.(scripted.app))?.text).toContain('There are 500 orders.');
    expect(scripted.server.requests).toHaveLength(3);
  });

  test('three calls with the same error; the last one is told when nothing is known', async () => {
    for (const ask of Object.values(ways)) {
      await using scripted = await scriptedApp((request, n) =>
        request.tools.length === 0 ? { text: '' } : callSql(`select amont, ${n} from orders`),
      );
      expect((await ask(scripted.app)).text).toContain('could not be answered: SQLite: no such column: amont.');
      expect(scripted.server.requests.length).toBeLessThanOrEqual(5);
    }
  });

  test('six steps in which every call fails', async () => {
    await using scripted = await scriptedApp((request, n) => last(request, callSql(`select wrong${n} from orders`)));
    expect((await ways.query?.(scripted.app))?.text).toContain('There are 500 orders.');
    expect(scripted.server.requests).toHaveLength(7);
  });

  test('not while calls differ', async () => {
    const script = [...[1, 2, 3, 4].map((n) => callSql(`select ${n} as a`)), answer];
    for (const end of await asked(script, 5)) expect(end.answer?.sql).toHaveLength(4);
  });
});

describe('what only looks like misbehaviour is left alone', () => {
  test.each([
    'The tags `<think>` and `</think>` mark thoughts.',
    'The tag <think> marks thoughts, and </think> ends them.',
    'Models write <answer> or [THINK] around texts, and results follow <tool_response>, as a rule.',
    'As JSON:\n\n```json\n{"region": "north", "n": 250}\n```',
    'This statement counts them:\n\n```sql\nselect count(*) from orders where a < 5\n```',
    '{"name": "north", "total": 250}',
  ])('%s', async (text) => {
    for (const ask of Object.values(ways)) {
      await using scripted = await scriptedApp([callSql(COUNT), { text }]);
      expect(await ask(scripted.app)).toMatchObject({ text, answer: { text, sql: [COUNT], steps: 2 } });
    }
  });
});

test('a model that the server does not know is named with near ones', async () => {
  const body = { error: { message: "model 'qwen3:9b' not found, try pulling it first" } };
  const models = ['llama3.1:8b', 'qwen3:8b', 'gemma3:4b', 'qwen3:30b', 'phi4', 'mistral', 'granite4'];
  for (const provider of ['openai', 'openai-compatible'] as const) {
    for (const ask of Object.values(ways)) {
      const model = { provider, model: 'qwen3:9b', apiKey: 'sk-test' };
      await using scripted = await scriptedApp([{ status: 404, body }], { model, models });
      const { error } = await ask(scripted.app);
      expect(error).toContain('does not know the model "qwen3:9b"');
      expect(error).toContain('Did you mean qwen3:8b?');
    }
  }
});

test('a prompt that the server has cut is noted and logged', async () => {
  const large = Array.from({ length: 40 }, (_, n) => `select ${n} as a`).join(' union all ');
  for (const tokens of [300, 5_000]) {
    await using scripted = await scriptedApp([
      {
        ...callSql(`select '${'x '.repeat(2_000)}' as a, (${large.slice(0, 11)}) as b`),
        usage: { input: 5_000, output: 9 },
      },
      { ...answer, usage: { input: tokens, output: 9 } },
    ]);
    const { notes } = await scripted.app.get(agent).answer(question, scripted.app.scope());
    const isNoted = tokens === 300;
    const health = await scripted.app.call(healthCheck, undefined, scripted.app.scope());
    expect(
      health.some(({ value: { status, message } }) => status === 'degraded' && message?.includes('300 tokens')),
    ).toBe(isNoted);
    expect(
      notes.some(({ code, message }) => code === 'prompt_truncated' && message.includes('OLLAMA_CONTEXT_LENGTH')),
    ).toBe(isNoted);
    expect(scripted.app.lines.some(({ level, message }) => level === 'warn' && message.includes('300 tokens'))).toBe(
      isNoted,
    );
  }
});
