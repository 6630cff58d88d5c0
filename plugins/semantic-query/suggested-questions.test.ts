import { describe, expect, test } from 'vitest';
import { testScope } from '../../test/harness/create-test-app.ts';
import type { AgentEvent, Answer, Ask } from '../agent/index.ts';
import { createModel, type SemanticModel } from '../semantic-layer/index.ts';
import { dimension, entity, modelOf, shop } from './fixtures/shop.ts';
import { suggestedQuestions, suggestingAgent } from './suggested-questions.ts';

const { entities, metrics, glossary } = shop;
const common_questions = ['How many orders were placed last month?', 'What was revenue by size?'];
const catalog = {
  entities: [
    { name: 'Orders', common_questions },
    { name: 'customers', common_questions: ['Who?'] },
  ],
};
const known = createModel({ entities: [...entities], metrics: [...metrics], glossary: [...glossary], catalog }, 1, []);
const reading = (tables: readonly string[], plan?: object) => ({ tables: new Set(tables), ...(plan && { plan }) });
const revenueBy = (...dimensions: object[]) => ({ measures: ['orders.revenue'], dimensions });

describe('the questions that may follow', () => {
  test('break the measure down by another dimension and by month, and go on with the catalog', () => {
    const plan = revenueBy({ dimension: 'orders.status' });
    expect(suggestedQuestions(known, reading(['orders'], plan), ['Revenue by status?'])).toEqual([
      'Revenue by size',
      'Revenue by month',
      'How many orders were placed last month?',
    ]);
    expect(suggestedQuestions(known, reading(['main.orders', 'orders']), [])).toEqual(common_questions);
  });

  test('leave out what was asked, other entities, and what is hidden, masked or a key', () => {
    const plan = revenueBy({ dimension: 'orders.order_date', grain: 'month' }, { dimension: 'orders.size' });
    const asked = ['revenue  BY status', 'How many orders were placed last month', 'what was revenue by size?'];
    expect(suggestedQuestions(known, reading(['orders'], plan), asked)).toEqual([]);
    const people = entity('people', {
      dimensions: [
        dimension('id', 'string', { primary_key: true }),
        dimension('city_id', 'string', { references: 'cities.id' }),
        dimension('salary', 'string', { mask: "'***'" }),
        dimension('secret', 'string', { hidden: true }),
        dimension('name', 'string', { unique_count: 9_000 }),
        dimension('age', 'number'),
      ],
    });
    expect(suggestedQuestions(modelOf([people]), reading(['people'], { measures: ['people.count'] }), [])).toEqual([]);
  });

  test('name a measure that several entities have with its entity, and a metric by its label', () => {
    const twice = ['orders', 'bills'].map((name) =>
      entity(name, {
        dimensions: [dimension('pay_state')],
        measures: [{ name: 'net_total', type: 'sum', sql: 'amount' }],
      }),
    );
    const model = modelOf(twice, [{ id: 'arr', label: 'Yearly revenue', entity: 'bills' }]);
    const of = (measure: string) => suggestedQuestions(model, reading(['bills'], { measures: [measure] }), []);
    expect(of('bills.net_total')).toEqual(['Net total of bills by pay state']);
    expect(of('bills.count')).toEqual(['Number of bills by pay state']);
    expect(of('ARR')).toEqual(['Yearly revenue by pay state']);
    expect(of('nothing.of_that')).toEqual([]);
  });
});

describe('the wrapped agent', () => {
  const answer = { text: '', outcome: 'answered', notes: [] } as unknown as Answer;
  const statement = { tables: ['Orders'] };
  const events = (outcome: Answer['outcome']) =>
    [
      { type: 'tool-call', toolCallId: '1', toolName: 'queryMetrics', args: revenueBy() },
      { type: 'tool-result', toolCallId: '1', toolName: 'queryMetrics', result: {}, statement },
      { type: 'tool-call', toolCallId: '2', toolName: 'queryMetrics', args: 'no plan' },
      { type: 'tool-result', toolCallId: '2', toolName: 'queryMetrics', result: {}, error: 'It failed.' },
      { type: 'finish', answer: { ...answer, outcome } },
    ] as unknown as AgentEvent[];

  async function ended(outcome: Answer['outcome'], model: () => Promise<SemanticModel>): Promise<Answer> {
    const ask: Ask = async function* () {
      yield* events(outcome);
    };
    const question = { turns: [{ role: 'user' as const, text: 'Revenue?' }], surface: 'test' };
    const all: AgentEvent[] = [];
    for await (const event of suggestingAgent(model, ask)(question, testScope(), true)) all.push(event);
    expect(all.slice(0, -1)).toEqual(events(outcome).slice(0, -1));
    return (all.at(-1) as Extract<AgentEvent, { type: 'finish' }>).answer;
  }

  test('adds them to an answer that was answered, and to no other', async () => {
    const model = async () => known;
    expect((await ended('answered', model)).suggestions).toEqual([
      'Revenue by status',
      'Revenue by month',
      common_questions[0],
    ]);
    expect(await ended('clarify', model)).not.toHaveProperty('suggestions');
  });

  test('gives the answer without them where the layer cannot be read', async () => {
    const answered = await ended('answered', () => Promise.reject(new Error('No layer.')));
    expect(answered).toEqual({ ...answer, outcome: 'answered' });
  });
});
