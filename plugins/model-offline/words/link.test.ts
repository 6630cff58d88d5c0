/** Words that are no names of the layer as they stand: slips of the pen, verbs of a noun, names without their unit. */
import { expect, it } from 'vitest';
import { layerFolder } from '../../../test/harness/layer-folder.ts';
import { loadSemanticLayer } from '../../semantic-layer/index.ts';
import { readQuestion } from '../conversation.ts';

const LAYER = {
  'entities/plants.yml':
    'table: plants\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: name}\n  - {name: capacity_mw, type: number}\n  - {name: signup_date, type: date}\nmeasures:\n  - {name: total_capacity_mw, type: sum, sql: capacity_mw}\n',
  'entities/inspections.yml':
    'table: inspections\ndimensions:\n  - {name: id, type: number, primary_key: true}\n  - {name: inspected_on, type: date}\n  - {name: net_amount, type: number}\n  - {name: production, type: number}\njoins:\n  - {target: plants, relationship: many_to_one, on: {from: plant_id, to: id}}\n',
};

it('reads what a name is called by in a sentence, and nothing that two names explain', async () => {
  using folder = layerFolder(LAYER);
  const model = await loadSemanticLayer(folder.dir);
  const read = (question: string) => readQuestion([question], model, { now: new Date('2026-01-15T00:00:00Z') });
  expect(read('how many inspektions in 2025?')).toMatchObject({
    plan: { measures: ['inspections.count'] },
    understood: expect.stringContaining('"inspektions" as "inspection"'),
  });
  expect(read('total capacity')).toMatchObject({ plan: { measures: ['plants.total_capacity_mw'] } });
  expect(read('average net inspection amount')).toMatchObject({
    plan: { adhocMeasures: [{ dimension: 'inspections.net_amount' }] },
  });
  expect(read('average produced')).toMatchObject({
    plan: { adhocMeasures: [{ dimension: 'inspections.production' }] },
  });
  expect(read('how many plants signed up in 2025?')).toMatchObject({
    plan: { timeRange: { dimension: 'plants.signup_date' } },
  });
  for (const question of ['how many plants per plane?', 'how many Inspektions?', 'how many plan are there?'])
    expect(read(question).kind).toBe('unclear');
});
