/** Questions that a careless reader answers with wrong rows. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { readQuestion } from './conversation.ts';

let library: SemanticModel;
beforeAll(async () => {
  library = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'library'));
});
const read = (question: string) => readQuestion([question], library, { now: new Date('2026-01-15T00:00:00Z') });

it.each([
  [
    'How many loans were returned in March 2025?',
    { timeRange: { dimension: 'loans.returned_on', from: '2025-03-01' } },
  ],
  ['How many loans have not been returned?', { filters: [{ dimension: 'loans.returned_on', operator: 'is_null' }] }],
  [
    'members who never borrowed a book',
    { entity: 'members', related: [{ of: 'members', entity: 'loans', operator: 'equals', value: 0 }] },
  ],
  ['loans due last week', { timeRange: { dimension: 'loans.due_on', from: '2026-01-05', to: '2026-01-12' } }],
  ['loans by due date in March 2025', { timeRange: { dimension: 'loans.due_on', from: '2025-03-01' } }],
  // A row of theirs has the value "patron".
  ['patrons with more than 3 loans', { measures: ['loans.count'], dimensions: [{ dimension: 'members.name' }] }],
  ['most common genre', { measures: ['books.count'], dimensions: [{ dimension: 'books.genre' }] }],
  ['who has the most loans', { measures: ['loans.count'], limit: 1 }],
  [
    'books published in 2015',
    {
      filters: [
        { dimension: 'books.published_year', operator: 'greater_or_equal', values: [2015] },
        { dimension: 'books.published_year', operator: 'less_than', values: [2016] },
      ],
    },
  ],
  ['books sorted by pages', { entity: 'books', orderBy: [{ by: 'books.pages', direction: 'asc' }] }],
])('reads %s', (question, plan) => {
  expect(read(question)).toMatchObject({ kind: 'plan', plan });
});

it('keeps every row when it only sorts', () => {
  expect(read('books sorted by pages')).not.toMatchObject({ plan: { limit: expect.anything() } });
  expect(read('books sorted by pages')).not.toMatchObject({ plan: { filters: expect.anything() } });
});

it.each([
  'most common loans',
  'which books are the most frequent',
  'renewal rate',
  'which members have the most',
  'loans by weekday',
  'top 2 books by loans in each genre',
  'average loans',
  'How many overdue loans are there?',
  'how many loans without a fine',
  'percentage of loans that are overdue',
  'most loans of a member',
  'revenue of the top 5 members',
  'average loans per day in 2025',
  'which books have the fewest loans',
  'how many Fiction books and how many members',
  'percentage of Fiction books of Jane Austen in en',
  'total fines without renewals',
  "how many loans haven't been extended",
  'how many loans will there be in 2026-02?',
  'which books are out',
  'books out of print',
  'return the book of Jane Austen to Central and cancel the loan',
])('does not answer %s', (question) => {
  expect(read(question).kind).not.toBe('plan');
});

it('adds up where the amount is asked for, and asks where it may be the number', () => {
  const choices = ['total fine of loans', 'total renewals of loans'];
  expect(read('total amount of loans')).toMatchObject({ kind: 'clarify', choices });
  expect(read('total loans')).toMatchObject({ kind: 'clarify', choices: ['number of loans', ...choices] });
});

it('takes a word for the rows that it names, not for a value of the same word elsewhere', async () => {
  using folder = layerFolder({
    'entities/organizations.yml':
      'table: organizations\nsynonyms: [customer, customers]\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: name}\njoins:\n  - {target: roles, relationship: many_to_one, on: {from: role_id, to: id}}\n',
    'entities/roles.yml':
      'table: roles\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: scope, sample_values: [customer, staff]}\n',
    'entities/findings.yml':
      'table: findings\ndimensions:\n  - {name: id, type: number, primary_key: true}\njoins:\n  - {target: organizations, relationship: many_to_one, on: {from: organization_id, to: id}}\n',
  });
  const model = await loadSemanticLayer(folder.dir);
  const plan = (question: string) => {
    const reading = readQuestion([question], model, { now: new Date() });
    return reading.kind === 'plan' ? reading.plan : reading;
  };
  expect(plan('How many customers are there?')).toEqual({ measures: ['organizations.count'] });
  const byOrganization = {
    measures: ['findings.count'],
    dimensions: [{ dimension: 'organizations.name', identity: true }],
    filters: [{ dimension: 'organizations.id', operator: 'is_not_null' }],
  };
  expect(plan('findings by customer')).toEqual(byOrganization);
  expect(plan('Which customers have more than 100 findings?')).toMatchObject(byOrganization);
  expect(plan('How many customer roles are there?')).toMatchObject({
    measures: ['roles.count'],
    filters: [{ dimension: 'roles.scope', operator: 'equals', values: ['customer'] }],
  });
});

const CLINIC = {
  'entities/owners.yml':
    'table: owners\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: full_name}\n  - {name: city, sample_values: [London, Leeds]}\n',
  'entities/clinics.yml':
    'table: clinics\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: city}\n',
  'entities/pets.yml':
    'table: pets\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: born_on, type: date}\n  - {name: died_on, type: date, null_count: 129}\njoins:\n  - {target: owners, relationship: many_to_one, on: {from: owner_id, to: id}}\n',
  'entities/visits.yml':
    'table: visits\ndimensions:\n  - {name: id, type: number, primary_key: true}\njoins:\n  - {target: pets, relationship: many_to_one, on: {from: pet_id, to: id}}\n  - {target: clinics, relationship: many_to_one, on: {from: clinic_id, to: id}}\n',
  'entities/invoices.yml':
    'table: invoices\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: state, sample_values: [open, paid]}\n  - {name: total_amount, type: number}\njoins:\n  - {target: owners, relationship: many_to_one, on: {from: owner_id, to: id}}\n',
  'entities/payments.yml':
    'table: payments\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: amount, type: number}\nmeasures:\n  - {name: total_amount, type: sum, sql: amount}\njoins:\n  - {target: invoices, relationship: many_to_one, on: {from: invoice_id, to: id}}\n',
};

it('leaves out neither the table that a value was named with, nor the verb of a date, nor whose amount is meant', async () => {
  using folder = layerFolder(CLINIC);
  const model = await loadSemanticLayer(folder.dir);
  const plan = (...messages: string[]) => readQuestion(messages, model, { now: new Date() });
  // The layer knows cities of owners only.
  for (const question of ['How many visits at clinics in London?', 'How many visits did Leeds clinics have?'])
    expect(plan(question)).toMatchObject({
      kind: 'unclear',
      reason: expect.stringContaining('city of owners, not of clinics'),
    });
  for (const question of ['How many visits of owners in London?', 'How many visits from London at clinics of owners?'])
    expect(plan(question)).toMatchObject({ plan: { filters: [{ dimension: 'owners.city', values: ['London'] }] } });
  for (const question of ['How many pets died?', 'How many pets have died?', 'Which pets have died?'])
    expect(plan(question)).toMatchObject({
      plan: { filters: [{ dimension: 'pets.died_on', operator: 'is_not_null' }] },
    });
  const sum = { adhocMeasures: [{ name: 'total_amount', type: 'sum', dimension: 'invoices.total_amount' }] };
  for (const question of [
    'Invoice total by state',
    'invoice amount by state',
    'amount of invoices by state',
    'total invoice amount by state',
  ])
    expect(plan(question)).toEqual(
      expect.objectContaining({ plan: { ...sum, dimensions: [{ dimension: 'invoices.state' }] } }),
    );
  for (const question of ['Top 5 owners by invoice total', 'Top 5 owners by total invoice amount'])
    expect(plan(question)).toMatchObject({ plan: { ...sum, limit: 5 } });
  const both = ['number of invoices', 'total amount of invoices'];
  expect(plan('Invoices total by state')).toMatchObject({ kind: 'clarify', choices: both });
  expect(plan('Top 5 owners by invoices total', '2')).toMatchObject({ plan: { ...sum, limit: 5 } });
  expect(plan('How many invoices total?')).toMatchObject({ plan: { measures: ['invoices.count'] } });
});

it('counts rows as the layer counts them, and those in any state', async () => {
  using folder = layerFolder({
    'entities/customers.yml':
      'table: customers\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: is_test, type: boolean}\nmeasures:\n  - {name: customer_count, type: count, sql: CASE WHEN NOT is_test THEN id END, synonyms: [customers]}\n',
    'entities/orders.yml':
      'table: orders\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: status, sample_values: [placed, paid]}\njoins:\n  - {target: customers, relationship: many_to_one, on: {from: customer_id, to: id}}\n',
  });
  const model = await loadSemanticLayer(folder.dir);
  const plan = (question: string) => readQuestion([question], model, { now: new Date() });
  for (const question of ['How many customers are there?', 'Number of customers'])
    expect(plan(question)).toMatchObject({ plan: { measures: ['customers.customer_count'] } });
  expect(plan('How many customers have never placed an order?')).toMatchObject({
    plan: { related: [{ of: 'customers', entity: 'orders', operator: 'equals', value: 0, filters: [] }] },
  });
});

it('takes "percent" for the value that it is', async () => {
  using folder = layerFolder({
    'entities/promotions.yml': 'table: promotions\ndimensions:\n  - {name: kind, sample_values: [percent, amount]}\n',
  });
  const model = await loadSemanticLayer(folder.dir);
  expect(readQuestion(['How many promotions have kind percent?'], model, { now: new Date() })).toMatchObject({
    plan: {
      measures: ['promotions.count'],
      filters: [{ dimension: 'promotions.kind', operator: 'equals', values: ['percent'] }],
    },
  });
});
