/** What people ask of a database whose layer only names its columns, and the plan of each; `null`: refused or asked back. */
import { beforeAll, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { readQuestion } from './conversation.ts';
import { WORKSHOP } from './workshop.fixture.ts';

let model: SemanticModel;
beforeAll(async () => {
  using folder = layerFolder(WORKSHOP);
  model = await loadSemanticLayer(folder.dir);
  expect(model.problems).toEqual([]);
});

const list = (entity: string, ...names: string[]) => ({
  entity,
  dimensions: names.map((name) => ({ dimension: name.includes('.') ? name : `${entity}.${name}` })),
});
const is = (dimension: string, value: unknown) => ({ filters: [{ dimension, operator: 'equals', values: [value] }] });

it.each([
  // A date that rows may lack is a condition.
  ['Which machines were scrapped?', { filters: [{ dimension: 'machines.scrapped_on', operator: 'is_not_null' }] }],
  ['How many inactive clients are there?', { measures: ['clients.count'], ...is('clients.is_active', false) }],
  // Whoever has not paid may have cancelled.
  ['unpaid bills', null],
  ['unhappy clients', null],
  [
    'When was the first bill paid?',
    { ...list('bills', 'id', 'paid_on'), orderBy: [{ by: 'bills.paid_on' }], limit: 1 },
  ],
  ['When was the last job scheduled?', { orderBy: [{ by: 'jobs.scheduled_at', direction: 'desc' }], limit: 1 }],
  ['When do we open?', null],
  ['jobs next month', { timeRange: { from: '2026-02-01', to: '2026-03-01' } }],
  ['jobs in the next 10 days', { timeRange: { from: '2026-01-15', to: '2026-01-26' } }],
  ['jobs due next week', { timeRange: { dimension: 'jobs.next_due_on', from: '2026-01-19', to: '2026-01-26' } }],
  ['youngest technician', { orderBy: [{ by: 'technicians.birth_date', direction: 'desc' }], limit: 1 }],
  [
    'Which clients spent the most in 2025?',
    { measures: ['bills.bill_total_amount'], timeRange: { from: '2025-01-01' } },
  ],
  ['How much did clients in Turin spend?', { measures: ['bills.bill_total_amount'], ...is('clients.city', 'Turin') }],
  ['Which technician earns the most?', { adhocMeasures: [{ type: 'sum', dimension: 'technicians.salary' }], limit: 1 }],
  ['How much do clients earn?', null],
  ['Which machine is the most popular?', { measures: ['jobs.count'], limit: 1 }],
  // By their bills or by their machines?
  ['Which client is the most popular?', null],
  ['heaviest lathe', { orderBy: [{ by: 'machines.weight_kg' }], limit: 1 }],
  ['largest mill of all technicians', null],
  ['serial numbers of mills', { dimensions: [{ dimension: 'machines.serial_no' }], ...is('machines.kind', 'Mill') }],
  ['Show job number, type and closing date of jobs', list('jobs', 'id', 'job_no', 'appt_type', 'closed_at')],
  [
    'cheapest machine and its serial number',
    { dimensions: [{}, {}, { dimension: 'machines.asking_price' }], limit: 1 },
  ],
  ['List names and weight of machines', list('machines', 'name', 'weight_kg')],
  [
    'average duration by type',
    { adhocMeasures: [{ dimension: 'jobs.duration_min' }], dimensions: [{ dimension: 'jobs.appt_type' }] },
  ],
  [
    'jobs of more than 30 minutes',
    { filters: [{ dimension: 'jobs.duration_min', operator: 'greater_than', values: [30] }] },
  ],
  // What the rows have themselves is meant, not what others have.
  ['How many clients in Turin are there?', is('clients.city', 'Turin')],
  [
    'How many urgent jobs are open?',
    { filters: [{ dimension: 'jobs.appt_type' }, { dimension: 'jobs.status', values: ['open'] }] },
  ],
  ['open bills and jobs', null],
  ['clients with active lathe', null],
  ['Which jobs closed in May 2025?', { timeRange: { dimension: 'jobs.closed_at', from: '2025-05-01' } }],
  ['jobs per technician', { filters: [{ dimension: 'technicians.id', operator: 'is_not_null' }] }],
  ['What is the weight of the heaviest machine?', { ...list('machines', 'name', 'weight_kg'), limit: 1 }],
  ['Where is machine 7?', null],
  ['jobs since March', { timeRange: { from: '2025-03-01' } }],
  ['jobs in March', null],
  ['upcoming jobs', { entity: 'jobs', timeRange: { dimension: 'jobs.scheduled_at', from: '2026-01-15' } }],
  ['Which 3 technicians have the most jobs?', { measures: ['jobs.count'], limit: 3 }],
  ['heaviest machines, top 4', { entity: 'machines', limit: 4 }],
  ['List 4 machines', null],
  [
    'How many retired technicians are there?',
    { filters: [{ dimension: 'technicians.left_dt', operator: 'is_not_null' }] },
  ],
  ['long jobs in 2025', { measures: ['jobs.count'], filters: [{ values: [90] }, { values: ['closed'] }] }],
  ['How many good clients are there?', null],
  ['clients who are not retired', null],
  ['Who spent the most in 2025?', { measures: ['bills.bill_total_amount'], limit: 1 }],
  [
    'Which city made the most money?',
    { measures: ['bills.bill_total_amount'], dimensions: [{ dimension: 'clients.city' }] },
  ],
  ['How much money came in in 2025?', { measures: ['bills.bill_total_amount'] }],
  ['How much did we spend on clients?', null],
  ['What is the value of the largest job?', null],
  ['How many machines weigh more than 30 kg?', { filters: [{ dimension: 'machines.weight_kg', values: [30] }] }],
  ['total amount of bills by clients from Parma', { ...is('clients.city', 'Parma') }],
  [
    'Did we get more jobs in 2025 than in 2024?',
    { comparison: { from: '2024-01-01' }, timeRange: { from: '2025-01-01' } },
  ],
  ['Did we get more jobs than bills?', null],
  ['Average time to pay a bill', { adhocMeasures: [{ dimension: 'bills.paid_on', since: 'bills.issued_on' }] }],
  ['How long does it take on average until a bill is paid?', { adhocMeasures: [{ since: 'bills.issued_on' }] }],
  ['average delivery time', null],
  // Every job has a status, not every one has a due date.
  ['open jobs with status and closing date', list('jobs', 'id', 'closed_at', 'status')],
  [
    'open jobs with a closing date',
    { filters: [{ values: ['open'] }, { dimension: 'jobs.closed_at', operator: 'is_not_null' }] },
  ],
  // Whose city, where those of technicians are not known?
  ['jobs from Turin', null],
  ['jobs of clients in Turin', is('clients.city', 'Turin')],
  ['active machines', null],
  ['full jobs', null],
  ['highest paid technician', null],
  ['expired bills', null],
  ['Which bills expired in 2025?', { timeRange: { dimension: 'bills.expires_on' } }],
  [
    'How many machines have never been inspected?',
    { filters: [{ dimension: 'machines.last_inspection', operator: 'is_null' }] },
  ],
  [
    'bills paid within 7 days',
    { filters: [{}, { dimension: 'bills.paid_on', since: 'bills.issued_on', values: [7] }] },
  ],
  ['bills within 7 days', null],
  ['name of the machine with the most jobs', { measures: ['jobs.count'], limit: 1 }],
  [
    'average days between issue and payment',
    { adhocMeasures: [{ dimension: 'bills.paid_on', since: 'bills.issued_on' }] },
  ],
  ['average number of jobs per machine', { ratios: [{ of: 'jobs.count', per: 'machines.count' }] }],
  // A technician has no clients but through jobs.
  ['average number of clients per technician', null],
  ['Total bills by city', null],
  ['Which clients have more than one lathe?', { measures: ['machines.count'], measureFilters: [{ value: 1 }] }],
  ['the 3 heaviest machines', { entity: 'machines', limit: 3 }],
  ['bills above 500 euros', { filters: [{ dimension: 'bills.total_amount', values: [500] }] }],
  ['technicians over 50', null],
  // Scrapped or inspected then?
  ['machines in 2025', null],
  ['total weight per machine', null],
  // Someone else is an inspector too.
  ['jobs without an inspector', { filters: [{ dimension: 'jobs.inspector_id', operator: 'is_null' }] }],
  ['How many jobs failed?', is('jobs.result', 'fail')],
  ['Total scrap in 2025', { adhocMeasures: [{ type: 'sum', dimension: 'jobs.scrap_qty' }] }],
  ['highest bill amount', { entity: 'bills', orderBy: [{ by: 'bills.total_amount', direction: 'desc' }], limit: 1 }],
  ['machines with no inspection date', { filters: [{ dimension: 'machines.last_inspection', operator: 'is_null' }] }],
  [
    'average days from order to receipt',
    { adhocMeasures: [{ dimension: 'loans.received_on', since: 'loans.ordered_on' }] },
  ],
  // Tools that were opened are nothing to show of loans.
  ['open loans', null],
  ['Which tool has the most loans?', { dimensions: [{ dimension: 'tools.asset_tag', identity: true }], limit: 1 }],
  // How often, or how long?
  ['Which tool had the most downtime?', null],
  ['downtime by tool', null],
  ['check-ins per month', { measures: ['checkins.count'], dimensions: [{ grain: 'month' }] }],
  [
    'List clients with their home branch',
    { dimensions: [{}, {}, { dimension: 'branches.name' }], joinPath: ['clients.home'] },
  ],
  ['How many people joined in 2025?', null],
  ['average days to pay', { adhocMeasures: [{ dimension: 'bills.paid_on', since: 'bills.issued_on' }] }],
  ['jobs that were closed last month', { timeRange: { dimension: 'jobs.closed_at' } }],
  // Ordered then, or ended?
  ['loans returned last month', null],
  ['closed jobs', { filters: [{ dimension: 'jobs.status', values: ['closed'] }] }],
  ['job J-100', { entity: 'jobs' }],
  ['Who closed job J-100?', null],
  ['Who are the clients in Turin?', { entity: 'clients' }],
  ['Which loans return next month?', null],
  ['Show open jobs with machine and result', list('jobs', 'id', 'machines.name', 'result')],
  ['Show me jobs with a closing date', { filters: [{ dimension: 'jobs.closed_at', operator: 'is_not_null' }] }],
  // Machines have a price themselves, although sales have one too.
  ['List mills with name and price', list('machines', 'name', 'asking_price')],
  ['total sale price per weight', null],
  ['heaviest lathe in Turin', { entity: 'machines', limit: 1 }],
  ['technicians per manager', null],
  // Paused then, or scheduled then?
  ['jobs paused last month', null],
  ['uninspected machines', { filters: [{ dimension: 'machines.last_inspection', operator: 'is_null' }] }],
  ['Who opened J-100?', null],
  // A fitter is asked for, and a grade is no name.
  ['Which fitter has the highest salary?', null],
  ['What fitter has the highest salary?', null],
  ['fitter with the highest salary', null],
  ['highest salary of fitters', { adhocMeasures: [{ type: 'max', dimension: 'technicians.salary' }] }],
  ['Which technician has the highest salary?', { entity: 'technicians', limit: 1 }],
  ['Show me the jobs that are still open', { entity: 'jobs', ...is('jobs.status', 'open') }],
  ['How many jobs are still open?', { measures: ['jobs.count'], ...is('jobs.status', 'open') }],
  ['Show me the jobs that are still scheduled', null],
  ['What is the total amount paid last month?', { adhocMeasures: [{ type: 'sum', dimension: 'bills.total_amount' }] }],
  // All together, or on average?
  ['What is the duration of jobs last month?', null],
  ['What is the weight of machine 7?', { dimensions: [{ dimension: 'machines.weight_kg' }] }],
  // Those who ordered: not the loans that are still ordered.
  ['Which tool ordered the most loans?', { measures: ['loans.count'], filters: [{ dimension: 'tools.id' }] }],
  ['Which tool returned the most loans?', null],
  ['Which loans are ordered?', is('loans.status', 'ordered')],
] as [string, object | null][])('reads %s', (question, plan) => {
  const reading = readQuestion([question], model, { now: new Date('2026-01-15T00:00:00Z') });
  if (plan === null) expect(reading.kind).not.toBe('plan');
  else expect(reading).toMatchObject({ kind: 'plan', plan });
});
