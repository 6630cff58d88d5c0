/** Layers as `init` writes them for tables with names that are also English, not English, or numbered. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { type Reading, readQuestion } from './conversation.ts';

const FILES = {
  'huts.yml': `{ table: Hütten, name: hütten, dimensions: [{ name: id, type: number, primary_key: true },
    { name: höhe_m, sql: '"höhe_m"', type: number }, { name: kanton, sample_values: [Bern, Uri] }] }`,
  'order.yml': `{ table: order, dimensions: [{ name: id, type: number, primary_key: true }, { name: guest_id, type: number },
    { name: from, sql: '"from"', sample_values: [phone, web] }, { name: what, sample_values: [shower, breakfast] },
    { name: ordered_at, type: timestamp }, { name: nights, type: number }],
    measures: [{ name: total_nights, type: sum, sql: nights }],
    joins: [{ target: guests, relationship: many_to_one, on: { from: guest_id, to: id } }] }`,
  'guests.yml':
    '{ table: guests, dimensions: [{ name: id, type: number, primary_key: true }, { name: name }, { name: country, sample_values: [Italy, France] }] }',
  'invoices_2024.yml':
    '{ table: invoices_2024, dimensions: [{ name: number, primary_key: true }, { name: state, sample_values: [open, paid] }] }',
};
const folder = mkdtempSync(join(tmpdir(), 'atlas-names-'));
let model: SemanticModel;
beforeAll(async () => {
  mkdirSync(join(folder, 'entities'));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, 'entities', file), text);
  model = await loadSemanticLayer(folder);
  expect(model.problems).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (question: string): Reading => readQuestion([question], model, { now: new Date('2025-12-15T10:00:00Z') });
function understood(question: string): string {
  const reading = read(question);
  return reading.kind === 'plan' ? reading.understood : JSON.stringify(reading);
}

it('keeps the accents of a name, and calls rows by their plural', () => {
  expect(understood('Average höhe m by kanton')).toBe('average höhe m (hütten), by kanton of hütten');
  expect(understood('How many orders came by phone?')).toBe('number of orders, where from of orders is phone');
  expect(understood('invoices 2024 by state')).toBe('number of invoices 2024, by state of invoices 2024');
});

it('says periods as English does', () => {
  expect(understood('orders ordered after 2024')).toMatch(/ordered at of orders since 2025-01-01$/);
  expect(understood('orders ordered before 2024')).toMatch(/ordered at of orders before 2024-01-01$/);
  expect(understood('How many orders from 2025-03-02 to 2025-03-09?')).toMatch(
    /ordered at of orders from 2025-03-02 to 2025-03-09$/,
  );
});

it('asks with "what is", also where a column is called so', () => {
  expect(understood('What is the average nights by what?')).toBe('average nights (orders), by what of orders');
});

it('reads a number with the name of its column, also where that is a unit', () => {
  expect(understood('How many orders with more than 3 nights?')).toBe(
    'number of orders, where nights of orders is more than 3',
  );
});

it('reads how many are ranked behind "which"', () => {
  expect(understood('Which five guests made the most orders?')).toMatch(
    /highest number of orders first, at most 5 rows$/,
  );
  expect(understood('Which 2 guests have the fewest orders?')).toContain('guests without any orders would come first');
  expect(read('Which five guests are there?')).toMatchObject({ kind: 'unclear', words: ['five'] });
});

it('offers no stump of a question', () => {
  for (const question of ['What is the altitude of Italy?', 'How many guests are from Spain?']) {
    const reading = read(question);
    expect(reading).toMatchObject({ kind: 'unclear', isNear: false });
  }
});

it('does not count who is asked about', () => {
  for (const question of ['What did guests buy?', 'Where do guests live?', 'How do guests order?'])
    expect(read(question), question).toMatchObject({ kind: 'unclear', isNear: false });
  expect(understood('How many guests do we have?')).toBe('number of guests');
});
