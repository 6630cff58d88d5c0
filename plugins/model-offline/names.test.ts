/** Names that people shorten, derive or write out, and the plan in which they stand. */
import { beforeAll, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { readQuestion } from './conversation.ts';

const LAYER = {
  'entities/halls.yml': `table: halls
type: dimension
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: name}
  - {name: area_m2, type: number}
  - {name: contact_email}
`,
  'entities/service_requests.yml': `table: service_requests
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: category, sample_values: [heating, water]}
  - {name: status, sample_values: [cancelled, done]}
  - {name: reported_on, type: date}
  - {name: repaired_on, type: date, null_count: 3}
  - {name: purchase_price, type: number}
  - {name: hall_id, type: number}
joins:
  - {target: halls, relationship: many_to_one, on: {from: hall_id, to: id}}
`,
  'entities/check_ins.yml': `table: check_ins
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: checked_in_at, type: timestamp}
  - {name: used_kwh, type: number, synonyms: [usage]}
  - {name: checked_out_at, type: timestamp, null_count: 3}
  - {name: hall_id, type: number}
joins:
  - {target: halls, relationship: many_to_one, on: {from: hall_id, to: id}}
`,
};
let model: SemanticModel;
beforeAll(async () => {
  using folder = layerFolder(LAYER);
  model = await loadSemanticLayer(folder.dir);
  expect(model.problems).toEqual([]);
});

it.each([
  ['Most common service category', { dimensions: [{ dimension: 'service_requests.category' }], limit: 1 }],
  [
    'average price of service requests',
    { adhocMeasures: [{ type: 'avg', dimension: 'service_requests.purchase_price' }] },
  ],
  ['Requests that cost more than 500', { filters: [{ dimension: 'service_requests.purchase_price', values: [500] }] }],
  ['What do we pay for a service request on average?', { adhocMeasures: [{ type: 'avg' }] }],
  [
    'Which halls have an average price above 20?',
    { measureFilters: [{ measure: 'average_purchase_price', operator: 'greater_than', value: 20 }] },
  ],
  ['Which hall has the lowest usage?', { adhocMeasures: [{ type: 'sum' }], orderBy: [{ direction: 'asc' }], limit: 1 }],
  ['How many requests have no hall?', { filters: [{ dimension: 'service_requests.hall_id', operator: 'is_null' }] }],
  ['Cancellations by month', { filters: [{ dimension: 'service_requests.status', values: ['cancelled'] }] }],
  ['How many halls have no email address?', { filters: [{ dimension: 'halls.contact_email', operator: 'is_null' }] }],
  ['halls larger than 100 square metres', { filters: [{ dimension: 'halls.area_m2', values: [100] }] }],
  ['Check-ins per month', { dimensions: [{ dimension: 'check_ins.checked_in_at', grain: 'month' }] }],
  [
    'How many requests took longer than 20 days?',
    { filters: [{ dimension: 'service_requests.repaired_on', since: 'service_requests.reported_on', values: [20] }] },
  ],
])('%s', (question, plan) => {
  const reading = readQuestion([question], model, { now: new Date('2026-01-15T00:00:00Z') });
  expect(reading, JSON.stringify(reading)).toMatchObject({ kind: 'plan', plan });
});
