import { beforeAll, describe, expect, test } from 'vitest';
import type { ChatTurn } from '../../kernel/index.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { ambiguityObjections } from './ambiguous-terms.ts';
import { loadSemanticLayer } from './loader.ts';
import type { SemanticModel } from './model.ts';

let model: SemanticModel;
beforeAll(async () => {
  using folder = layerFolder({
    'entities/orders.yml': `
table: orders
dimensions: [{ name: id }, { name: status }, { name: sales_channel }, { name: secret, hidden: true }]
measures: [{ name: revenue, type: sum, sql: amount }, { name: order_count, type: count }]
`,
    'glossary.yml': `
terms:
  - term: sales
    status: ambiguous
    synonyms: [turnover]
    meanings: [{ name: gross revenue, measure: revenue }, { name: number of orders }, units sold]
  - { term: lost sales, definition: Orders that were cancelled. }
  - { term: churn, status: ambiguous, meanings: [only one] }
  - { term: order, definition: A purchase. }
  - term: status
    status: ambiguous
    meanings:
      - { name: order status, entity: orders, dimension: status }
      - { name: ticket status, entity: tickets, dimension: status }
`,
    'entities/tickets.yml': 'table: tickets\ndimensions: [{ name: status }, { name: csat, type: number }]\n',
    'entities/visits.yml': 'table: visits\ndimensions: [{ name: status }]\n',
  });
  model = await loadSemanticLayer(folder.dir);
  expect(model.problems).toEqual([]);
});

const user = (text: string): ChatTurn => ({ role: 'user', text });
const said = (text: string): ChatTurn => ({ role: 'assistant', text });
const objections = (...turns: ChatTurn[]) => ambiguityObjections(model, turns);

test('an ambiguous term is objected to, with its meanings as choices', () => {
  expect(objections(user('What were the Sales of May?'))).toEqual([
    {
      message: '"sales" has several meanings, and neither the question nor the conversation says which one is meant.',
      hint: expect.stringContaining(
        'clarify with these choices: 1. gross revenue; 2. number of orders; 3. units sold.',
      ),
    },
  ]);
  expect(objections(user('turnover by month'))).toHaveLength(1);
  expect(objections(user(`${'as we said '.repeat(500)}: turnover by month`))).toHaveLength(1);
});

test('a column of several tables is settled by a number that only one of them has', () => {
  expect(objections(user('average csat by status'))).toEqual([]);
  expect(objections(user('average by status'))).toHaveLength(1);
});

describe.each<[string, ChatTurn[]]>([
  ['the question says the name of a meaning', [user('Sales, that is gross revenue, by month')]],
  ['the question says what a meaning stands for', [user('sales as revenue by month')]],
  ['the question says a meaning given as a text', [user('How many units were sold, as sales of May?')]],
  ['an earlier message said it', [user('gross revenue in May?'), said('5.'), user('And sales in June?')]],
  [
    'a list of choices was replied to',
    [
      user('Sales?'),
      said('Which one?\n\n1. gross revenue\n2. units sold'),
      user('2'),
      said('7'),
      user('sales in June?'),
    ],
  ],
  ['a longer name contains the term', [user('orders by sales channel')]],
  ['a longer term contains the term', [user('How many lost sales?')]],
  ['the term has a single meaning', [user('churn by month')]],
  ['the term is defined', [user('How many orders?')]],
  ['the term is part of another word', [user('How many salespeople are there?')]],
  ['the question names an entity with such a column', [user('How many tickets by status?')]],
  ['the question names an entity that is no meaning', [user('How many visits by status?')]],
  ['only an earlier question names the term', [user('sales?'), said('I took revenue: 5.'), user('And by region?')]],
])('nothing is objected where %s', (_, turns) => {
  test('as it should be', () => expect(objections(...turns)).toEqual([]));
});

describe.each<[string, ChatTurn[]]>([
  ['the assistant alone named a meaning', [user('Hello'), said('I know gross revenue.'), user('Show sales')]],
  [
    'a list about something else was replied to',
    [user('?'), said('1. one\n2. two'), user('2'), said('a'), user('sales?')],
  ],
  ['a column of several entities is named alone', [user('How many by status?')]],
  ['an entity without such a column is named', [user('How many salespeople by status?')]],
  ['the term also stands outside the longer name', [user('sales by sales channel')]],
])('it is objected where %s', (_, turns) => {
  test('as it should be', () => expect(objections(...turns)).toHaveLength(1));
});
