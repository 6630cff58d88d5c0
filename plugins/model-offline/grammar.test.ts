/** Sentences of many kinds over one small layer, and the plan that each is read as; `null`: refused or asked back. */
import { beforeAll, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { type Reading, readQuestion } from './conversation.ts';

const LAYER = {
  'entities/customers.yml': `table: customers
type: dimension
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: full_name}
  - {name: city, sample_values: [Oslo, Bergen]}
  - {name: segment, sample_values: [private, business]}
  - {name: signup_date, type: date}
  - {name: newsletter, type: boolean}
`,
  'entities/depots.yml': `table: depots
type: dimension
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: name}
  - {name: area_sqm, type: number}
  - {name: staff, type: number}
  - {name: year_built, type: number}
  - {name: acquired_on, type: date}
`,
  'entities/rentals.yml': `table: rentals
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: started_at, type: timestamp}
  - {name: returned_at, type: timestamp, null_count: 4}
  - {name: due_on, type: date}
  - {name: channel, sample_values: [app, phone]}
  - {name: km_driven, type: number, synonyms: [distance, miles]}
  - {name: planned_km, type: number}
  - {name: pickup_depot_id, type: number}
  - {name: discount, type: number}
measures:
  - {name: net_revenue, type: sum, sql: fee - discount, synonyms: [revenue]}
  - {name: total_km_driven, type: sum, sql: km_driven}
joins:
  - {target: customers, relationship: many_to_one, on: {from: customer_id, to: id}}
  - {target: depots, name: pickup, relationship: many_to_one, on: {from: pickup_depot_id, to: id}}
`,
};
let model: SemanticModel;
beforeAll(async () => {
  using folder = layerFolder(LAYER);
  model = await loadSemanticLayer(folder.dir);
  expect(model.problems).toEqual([]);
});
const read = (...messages: string[]): Reading =>
  readQuestion(messages, model, { now: new Date('2026-01-15T00:00:00Z') });
const all = (dimension: string) => ({ dimension: `rentals.${dimension}` });

it.each([
  ['List the distinct segments of our customers', { dimensions: [{ dimension: 'customers.segment' }] }],
  ['What different channels do we use?', { dimensions: [all('channel')] }],
  [
    'List customers with their city and signup date',
    {
      entity: 'customers',
      dimensions: ['full_name', 'city', 'signup_date'].map((name) => ({ dimension: `customers.${name}` })),
    },
  ],
  [
    'Which customers are private? Give me their names.',
    { entity: 'customers', dimensions: [{ dimension: 'customers.full_name' }] },
  ],
  [
    'How many customers have rented at least 3 times?',
    { related: [{ of: 'customers', entity: 'rentals', operator: 'greater_or_equal', value: 3 }] },
  ],
  [
    'How many customers never rented anything in 2025?',
    { related: [{ of: 'customers', entity: 'rentals', operator: 'equals', value: 0, filters: [{}, {}] }] },
  ],
  ['Which customer rented the most?', { measures: ['rentals.count'], limit: 1 }],
  [
    'Number of rentals per pickup depot',
    { dimensions: [{ dimension: 'depots.name', identity: true }], joinPath: ['rentals.pickup'] },
  ],
  [
    'What is our revenue per kilometre driven by channel?',
    {
      measures: ['rentals.net_revenue', 'rentals.total_km_driven'],
      ratios: [{ of: 'rentals.net_revenue', per: 'rentals.total_km_driven' }],
      dimensions: [all('channel')],
    },
  ],
  [
    'revenue per rental by channel',
    { ratios: [{ of: 'rentals.net_revenue', per: 'rentals.count' }], dimensions: [all('channel')] },
  ],
  ['rentals per 100 customers', { ratios: [{ of: 'rentals.count', per: 'customers.count', times: 100 }] }],
  [
    'Compare revenue in Q1 2025 with Q1 2024 by channel',
    {
      timeRange: { dimension: 'rentals.started_at', from: '2025-01-01', to: '2025-04-01' },
      comparison: { from: '2024-01-01', to: '2024-04-01' },
      dimensions: [all('channel')],
    },
  ],
  ['How did revenue change from 2024 to 2025?', { comparison: { from: '2024-01-01', to: '2025-01-01' } }],
  ['app vs phone rentals in 2025', { measures: ['rentals.count'], dimensions: [all('channel')] }],
  [
    'Do private or business customers rent more often?',
    { measures: ['rentals.count'], dimensions: [{ dimension: 'customers.segment' }] },
  ],
  ['Compare app and phone rentals in 2025', { measures: ['rentals.count'], dimensions: [all('channel')] }],
  [
    'Which customers have a total revenue above 1000?',
    { measures: ['rentals.net_revenue'], measureFilters: [{ measure: 'rentals.net_revenue', value: 1000 }] },
  ],
  ['Which cities have a revenue above 1000?', { measureFilters: [{ measure: 'rentals.net_revenue', value: 1000 }] }],
  [
    'How many customers have revenue above 1000 in 2025?',
    {
      related: [{ of: 'customers', entity: 'rentals', measure: 'rentals.net_revenue', value: 1000, filters: [{}, {}] }],
    },
  ],
  // Customers without rentals would be below; a city is no customer.
  ['How many customers have revenue below 1000?', null],
  ['How many cities have revenue above 1000?', null],
  ['Average number of rentals per customer', { ratios: [{ of: 'rentals.count', per: 'customers.count' }] }],
  ['new customers per month in 2025', { measures: ['customers.count'], dimensions: [{ grain: 'month' }] }],
  ['revenue of new customers in 2025', null],
  ['new customers', null],
  [
    'Show customers with their city',
    { entity: 'customers', dimensions: ['full_name', 'city'].map((name) => ({ dimension: `customers.${name}` })) },
  ],
  ['Names of customers in Oslo', { entity: 'customers', dimensions: [{ dimension: 'customers.full_name' }] }],
  ['What segments of customers are there?', { dimensions: [{ dimension: 'customers.segment' }] }],
  [
    'How many rentals have no pickup depot?',
    { filters: [{ dimension: 'rentals.pickup_depot_id', operator: 'is_null' }] },
  ],
  ['phone rate by city', { portion: { filters: [{ dimension: 'rentals.channel', values: ['phone'] }] } }],
  ['Do we have more private or business customers?', { dimensions: [{ dimension: 'customers.segment' }] }],
  ['revenue in 2025 vs 2025', null],
  ['compare revenue', null],
  [
    'How many rentals had more kilometres driven than planned km?',
    { filters: [{ dimension: 'rentals.km_driven', operator: 'greater_than', than: 'rentals.planned_km' }] },
  ],
  [
    'How many rentals were returned after the due date?',
    { filters: [{ dimension: 'rentals.returned_at', operator: 'greater_than', than: 'rentals.due_on' }] },
  ],
  ['How many rentals had more kilometres driven than area?', null],
  // Built or acquired?
  ['What is the oldest depot?', null],
  ['Which depot was acquired first?', { orderBy: [{ by: 'depots.acquired_on' }], limit: 1 }],
  [
    'How many days before the due date are rentals returned on average?',
    { adhocMeasures: [{ dimension: 'rentals.due_on', since: 'rentals.returned_at' }] },
  ],
  [
    'How many days are rentals returned after the due date on average?',
    { adhocMeasures: [{ dimension: 'rentals.returned_at', since: 'rentals.due_on' }] },
  ],
  ['How many days before the due date do we rent on average?', null],
  ['Which channels bring in how much?', null],
  ['Which channels bring in how much revenue?', { dimensions: [all('channel')] }],
  [
    'On average, how many hours pass between start and return by channel?',
    {
      adhocMeasures: [{ dimension: 'rentals.returned_at', since: 'rentals.started_at', type: 'avg', unit: 'hours' }],
      dimensions: [all('channel')],
    },
  ],
  ['How long do rentals take on average?', { adhocMeasures: [{ dimension: 'rentals.returned_at', unit: 'days' }] }],
  [
    'How many rentals took more than 4 days?',
    { filters: [{ dimension: 'rentals.returned_at', since: 'rentals.started_at', unit: 'days', values: [4] }] },
  ],
  ['How long do customers take on average?', null],
  // Rented in Oslo, not by people of Oslo.
  ['depots in Oslo', null],
  ['percentage of rentals returned, by number of rentals', null],
  ['How many miles were there by channel?', { adhocMeasures: [{ type: 'sum', dimension: 'rentals.km_driven' }] }],
  ['staff per square metre', null],
  ['revenue per customer by channel', null],
  ['highest revenue per km', null],
  [
    'Revenue per month in 2025 by return date',
    {
      dimensions: [{ dimension: 'rentals.returned_at', grain: 'month' }],
      timeRange: { dimension: 'rentals.returned_at', from: '2025-01-01', to: '2026-01-01' },
    },
  ],
] as [string, object | null][])('reads %s', (question, plan) => {
  if (plan === null) expect(read(question).kind).not.toBe('plan');
  else expect(read(question)).toMatchObject({ kind: 'plan', plan });
});

it.each([
  [
    ['How many rentals in 2024?', 'and how many in 2025?'],
    { measures: ['rentals.count'], timeRange: { from: '2025-01-01' } },
  ],
  [
    ['How many rentals of private customers in 2024?', 'how many of those are app?'],
    { measures: ['rentals.count'], filters: [{}, { dimension: 'rentals.channel' }] },
  ],
  [
    ['revenue in 2024', 'I meant rentals returned'],
    { measures: ['rentals.net_revenue'], timeRange: { dimension: 'rentals.returned_at', from: '2024-01-01' } },
  ],
  [
    ['revenue in 2024', 'and for private customers?'],
    { measures: ['rentals.net_revenue'], timeRange: { from: '2024-01-01' } },
  ],
] as [string[], object][])('reads %s', (messages, plan) => {
  expect(read(...messages)).toMatchObject({ kind: 'plan', plan });
});

it('takes rows that a synonym names, and facts, before what others share', async () => {
  const id = 'dimensions:\n  - {name: id, type: number, primary_key: true}\n';
  using folder = layerFolder({
    'entities/sales_orders.yml': `table: sales_orders\nsynonyms: [orders]\n${id}  - {name: amount, type: number}\n`,
    'entities/purchase_orders.yml': `table: purchase_orders\n${id}`,
    'entities/stores.yml': `table: stores\n${id}  - {name: orders, type: number}\nmeasures:\n  - {name: total_orders, type: sum, sql: orders}\n`,
    'entities/bills.yml': `table: bills\ntype: fact\n${id}  - {name: billed_on, type: date}\nmeasures:\n  - {name: billed, type: sum, sql: total, synonyms: [revenue]}\n`,
    'entities/monthly_revenue.yml':
      'table: v_monthly_revenue\nname: monthly_revenue\ntype: view\ndimensions:\n  - {name: month, type: date}\n  - {name: revenue, type: number}\n',
  });
  const shared = await loadSemanticLayer(folder.dir);
  const plan = (question: string) => readQuestion([question], shared, { now: new Date('2026-01-15T00:00:00Z') });
  expect(plan('How many orders are there?')).toMatchObject({ plan: { measures: ['sales_orders.count'] } });
  expect(plan('total amount of orders')).toMatchObject({
    plan: { adhocMeasures: [{ dimension: 'sales_orders.amount' }] },
  });
  expect(plan('What was our revenue in 2025?')).toMatchObject({
    plan: { measures: ['bills.billed'], timeRange: { dimension: 'bills.billed_on' } },
  });
});

it.each([[['Revenue on Mars?', 'and by phone?']], [['and in 2024?']]])('goes on from nothing in %s', (messages) => {
  expect(read(...messages).kind).toBe('unclear');
});
