import { join } from 'node:path';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { beforeAll, expect, it } from 'vitest';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { DEFAULT_CONDITION_HINT } from '../semantic-query/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { clinicDatabase } from './corpus.fixture.ts';
import { createOfflineModel } from './offline-model.ts';

const sqlite = await kitDialect('sqlite');

const database = clinicDatabase();
let layer: SemanticModel;
beforeAll(async () => {
  layer = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'clinic'));
});

const offline = () =>
  createOfflineModel({ model: layer, dialectOf: () => sqlite, now: () => new Date('2025-12-15T10:00:00Z') });
const executeSQL = tool({
  description: 'Runs SQL.',
  inputSchema: jsonSchema<{ sql: string }>({
    type: 'object',
    properties: { sql: { type: 'string' } },
    required: ['sql'],
  }),
  execute: ({ sql }) => {
    const statement = database.prepare(sql);
    const rows = statement.all() as Record<string, string | number | null>[];
    return {
      columns: statement.columns().map((column) => column.name),
      rows: rows.slice(0, 20),
      rowCount: rows.length,
      truncated: false,
    };
  },
});
const answer = (prompt: string, tools = { executeSQL }) =>
  generateText({ model: offline(), prompt, tools, stopWhen: stepCountIs(5) });

it('calls the tool once and states the number and what was read', async () => {
  const { text, steps, totalUsage } = await answer('How many visits were cancelled in 2025?');
  const { n } = database
    .prepare("SELECT COUNT(*) AS n FROM visits WHERE status = 'cancelled' AND visit_date LIKE '2025%'")
    .get() as { n: number };
  expect(text).toContain(`Count: ${n}.`);
  expect(text).toContain('where status of visits is cancelled');
  expect(text).toContain('2025-01-01');
  expect(steps.flatMap((step) => step.toolCalls)).toHaveLength(1);
  expect(totalUsage.totalTokens).toBe(0);
});

it('insists once on a query that leaves out a default condition', async () => {
  const refused = { error: 'The statement does not use the default condition.', hint: DEFAULT_CONDITION_HINT };
  const replies: unknown[] = [refused, { columns: ['count'], rows: [{ count: 7 }], rowCount: 1 }];
  const told = { ...executeSQL, execute: () => (replies.shift() ?? refused) as never };
  expect((await answer('How many visits were cancelled?', { executeSQL: told })).text).toContain('Count: 7.');
  replies.push(refused);
  expect((await answer('How many visits were cancelled?', { executeSQL: told })).text).toContain(refused.error);
  replies.push({ ...refused, hint: `Another reason. ${DEFAULT_CONDITION_HINT}` });
  const { text, steps } = await answer('How many visits were cancelled?', { executeSQL: told });
  expect(text).toContain('Another reason.');
  expect(steps).toHaveLength(2);
});

it('finds in the database what a word names that the layer lacks, also in a later message', async () => {
  const { name } = database.prepare('SELECT name FROM doctors WHERE doctor_id = 2').get() as { name: string };
  const looked: { column: string; text: string }[] = [];
  const findValues = tool({
    description: 'Finds values.',
    inputSchema: jsonSchema<{ column: string; text: string }>({ type: 'object' }),
    execute: ({ column, text }) => {
      looked.push({ column, text });
      const [table, dimension] = column.split('.');
      const sql = `SELECT DISTINCT ${dimension} AS v FROM ${table} WHERE ${dimension} LIKE ?`;
      const rows = database.prepare(sql).all(`%${text}%`) as { v: string }[];
      return rows.length > 0 ? { values: rows.map(({ v }) => v), more: false } : { values: [], mostAlike: [name] };
    },
  });
  const ask = (...said: string[]) =>
    generateText({
      model: offline(),
      messages: said.map((content, at) => ({
        role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content,
      })),
      tools: { executeSQL, findValues },
      stopWhen: stepCountIs(5),
    });
  const question = `How many visits did ${name} have?`;
  const { n } = database.prepare('SELECT COUNT(*) AS n FROM visits WHERE doctor_id = 2').get() as { n: number };
  const { text, steps } = await ask(question);
  expect(text).toContain(`Count: ${n}.`);
  expect(text).toContain(`name of doctors is ${name}`);
  expect(steps).toHaveLength(3);
  expect(looked).toContainEqual({ column: 'doctors.name', text: name });
  expect((await ask(question, text, 'and by month?')).text).toContain(`(per month), where name of doctors is ${name}`);
  looked.length = 0;
  expect((await ask('How many visits did Nobody have?')).text).toContain('I did not understand "Nobody".');
  expect(looked.length).toBeGreaterThan(0);
  expect(looked.map(({ column }) => column)).not.toContain('doctors.specialty');
});

it('shows the column by which rows are ranked', async () => {
  const { text } = await answer('What is the most expensive visit?');
  const { fee } = database.prepare('SELECT MAX(fee) AS fee FROM visits').get() as { fee: number };
  expect(text).toMatch(/^1 row \(.*, fee\):\n/);
  expect(text).toContain(`, ${fee}\n`);
});

it('streams the answer in chunks', async () => {
  const result = streamText({
    model: offline(),
    prompt: 'total fees by status',
    tools: { executeSQL },
    stopWhen: stepCountIs(5),
  });
  const chunks: string[] = [];
  for await (const chunk of result.textStream) chunks.push(chunk);
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.join('')).toContain('- completed: ');
});

it('formats money and says when nothing matches', async () => {
  expect((await answer('revenue in 2025')).text).toMatch(/Total fees: \d{1,3}(,\d{3})*\.\d\d\./);
  expect((await answer('List visits after 2030-01-01')).text).toContain('No rows match.');
});

it('says what failed when the query fails', async () => {
  const failing = tool({
    description: 'Runs SQL.',
    inputSchema: jsonSchema<{ sql: string }>({ type: 'object', properties: { sql: { type: 'string' } } }),
    execute: () => ({ error: 'The database is locked.', hint: 'Try again later.' }),
  });
  const { text } = await generateText({
    model: offline(),
    prompt: 'How many visits?',
    tools: { executeSQL: failing },
    stopWhen: stepCountIs(5),
  });
  expect(text).toContain('The database is locked. Try again later.');
});

it('says so when it may not run SQL', async () => {
  const { text } = await generateText({ model: offline(), prompt: 'How many visits?' });
  expect(text).toContain('executeSQL is not offered');
});

it('asks and refuses in plain text', async () => {
  expect((await answer('volume in 2025')).text).toMatch(/Which one do you mean\?\n1\. visits/);
  const unclear = (await answer('How many surgeries?')).text;
  expect(unclear).toContain('I did not understand "surgeries".');
  expect(unclear).toMatch(/\n1\. How many .+\n2\. .+\n3\. .+\n\nReply with a number to take one\.$/);
});

it('reads past the context before the question', async () => {
  const messages = [
    { role: 'user' as const, content: 'How many visits were cancelled in 2025?' },
    { role: 'assistant' as const, content: 'Count: 20.' },
    {
      role: 'user' as const,
      content: '<context 0a1b>\nTables\n\npatients by city\n</context 0a1b>\n\nand by month?',
    },
  ];
  const { text } = await generateText({
    model: offline(),
    messages,
    tools: { executeSQL },
    stopWhen: stepCountIs(5),
  });
  expect(text).toContain('Read as: number of visits, by visit date of visits (per month), where status');
});

it('says what the database lacks when it asks back', async () => {
  const model = Object.create(layer, { notice: { value: 'There is no table stays.' } });
  const { text } = await generateText({
    model: createOfflineModel({ model, dialectOf: () => sqlite, now: () => new Date() }),
    prompt: 'volume in 2025',
  });
  expect(text).toMatch(/^There is no table stays\.\n\n"volume" can mean .+\n1\. visits/);
});

it('stops when the request is cancelled', async () => {
  await expect(
    generateText({ model: offline(), prompt: 'How many visits?', abortSignal: AbortSignal.abort() }),
  ).rejects.toThrow();
});
