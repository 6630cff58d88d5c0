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
  dimensions: names.map((name) => ({ dimension: `${entity}.${name}` })),
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
  ['cheapest machines and their serial number', null],
  ['List names and weight of machines', list('machines', 'name', 'weight_kg')],
  [
    'average duration by type',
    { adhocMeasures: [{ dimension: 'jobs.duration_min' }], dimensions: [{ dimension: 'jobs.appt_type' }] },
  ],
  [
    'jobs of more than 30 minutes',
    { filters: [{ dimension: 'jobs.duration_min', operator: 'greater_than', values: [30] }] },
  ],
] as [string, object | null][])('reads %s', (question, plan) => {
  const reading = readQuestion([question], model, { now: new Date('2026-01-15T00:00:00Z') });
  if (plan === null) expect(reading.kind).not.toBe('plan');
  else expect(reading).toMatchObject({ kind: 'plan', plan });
});
