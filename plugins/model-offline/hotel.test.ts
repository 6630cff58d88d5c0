/** Questions about a hotel that an earlier grammar answered with wrong rows, or refused although they are plain. */
import { beforeAll, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { readQuestion } from './conversation.ts';

const LAYER = {
  'entities/hotels.yml': `table: hotels
type: dimension
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: name}
  - {name: country, sample_values: [Austria, Spain], unique_count: 2}
`,
  'entities/staff.yml': `table: staff
type: dimension
synonyms: [employees]
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: full_name}
  - {name: hired_on, type: date, nullable: false}
  - {name: left_on, type: date, null_count: 40}
  - {name: dept, sample_values: [kitchen, reception], unique_count: 2}
joins:
  - {target: hotels, relationship: many_to_one, on: {from: hotel_id, to: id}}
segments:
  - {name: current_staff, sql: left_on IS NULL}
`,
  'entities/bookings.yml': `table: bookings
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: booked_on, type: date, nullable: false}
  - {name: opened_on, type: date, null_count: 5}
  - {name: check_in, type: date, null_count: 3}
  - {name: closed_on, type: date, null_count: 9}
  - {name: status, sample_values: [active, cancelled], unique_count: 2}
  - {name: channel, sample_values: [web, phone], unique_count: 2}
  - {name: price_eur, type: number, description: Price in euros, synonyms: [price]}
  - {name: note}
measures:
  - {name: revenue, type: sum, sql: price_eur}
  - {name: cancelled_count, type: sum, sql: CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END}
joins:
  - {target: hotels, relationship: many_to_one, on: {from: hotel_id, to: id}}
segments:
  - {name: active, sql: status = 'active'}
  - {name: open, sql: check_in > '2026-01-01'}
`,
  'entities/reviews.yml': `table: reviews
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
joins:
  - {target: bookings, relationship: many_to_one, on: {from: booking_id, to: id}}
`,
  'entities/extras.yml': `table: extras
type: fact
dimensions:
  - {name: id, type: number, primary_key: true}
  - {name: kind, sample_values: [spa, parking], unique_count: 2}
joins:
  - {target: bookings, relationship: many_to_one, on: {from: booking_id, to: id}}
`,
};
let model: SemanticModel;
beforeAll(async () => {
  using folder = layerFolder(LAYER);
  model = await loadSemanticLayer(folder.dir);
  expect(model.problems).toEqual([]);
});
const read = (question: string) => readQuestion([question], model, { now: new Date('2026-01-15T00:00:00Z') });
const of = (dimension: string) => ({ dimension: `bookings.${dimension}` });

it.each([
  ['How many employees currently work at each hotel?', { segments: ['staff.current_staff'] }],
  ['Bookings in Austria - how many?', { measures: ['bookings.count'] }],
  [
    'Which month of 2025 had the highest revenue?',
    { dimensions: [{ ...of('booked_on'), grain: 'month' }], limit: 1, timeRange: { from: '2025-01-01' } },
  ],
  [
    'revenue by quarter in 2025, by date of check in',
    { dimensions: [{ ...of('check_in'), grain: 'quarter' }], timeRange: of('check_in') },
  ],
  [
    'By how many percent did revenue grow from 2024 to 2025?',
    { timeRange: { from: '2025-01-01' }, comparison: { from: '2024-01-01', to: '2025-01-01' } },
  ],
  ['Bookings booked between 1 July and 31 August 2025', { timeRange: { from: '2025-07-01', to: '2025-09-01' } }],
  ['revenue in Octobr 2025', { timeRange: { from: '2025-10-01', to: '2025-11-01' } }],
  ['How many active bookings are there?', { filters: [{ ...of('status'), operator: 'equals', values: ['active'] }] }],
  [
    'What percentage of web bookings were cancelled?',
    {
      filters: [{ ...of('channel'), values: ['web'] }],
      portion: { filters: [{ ...of('status'), values: ['cancelled'] }] },
    },
  ],
  ['How many bookings have an unknown note?', { filters: [{ ...of('note'), operator: 'is_null' }] }],
  ['revenue by channel, in euros', { measures: ['bookings.revenue'], dimensions: [of('channel')] }],
  ['Bookings with a price of 500 euros or more', { filters: [{ ...of('price_eur'), values: [500] }] }],
  ['What departments do our employees work in?', { dimensions: [{ dimension: 'staff.dept' }] }],
  [
    'Name the five employees who were hired most recently',
    { limit: 5, orderBy: [{ by: 'staff.hired_on', direction: 'desc' }] },
  ],
  ['Which hotels have more than 5 cancelled bookings?', { dimensions: [{ dimension: 'hotels.name' }] }],
  ['How many bookings did we open in 2025?', { timeRange: of('opened_on') }],
  ['hotels and their revenue', { measures: ['bookings.revenue'], dimensions: [{ dimension: 'hotels.name' }] }],
  ['bookings worth more than 500', { entity: 'bookings', filters: [{ ...of('price_eur'), values: [500] }] }],
  [
    "What percentage of hotels' bookings were cancelled?",
    { measures: ['bookings.count'], portion: { filters: [{ ...of('status'), values: ['cancelled'] }] } },
  ],
  ['worst 3 hotels by revenue', { measures: ['bookings.revenue'], orderBy: [{ direction: 'asc' }] }],
])('reads %s', (question, plan) => {
  expect(read(question)).toMatchObject({ kind: 'plan', plan });
});

it.each([
  // The revenue of a booking with a spa treatment is that of the room.
  'spa revenue by hotel',
  'Which hotel earns the most revenue in each country?',
  'What percentage of the revenue came by phone, by price?',
  'reviews per reviewed hotel',
  'How many bookings are there currently?',
  'How many kitchen employees are still reachable?',
  'running total of revenue by month',
  'cumulative revenue by month',
  'revenue by channel, in dollars',
  'How much money did hotels bring in?',
  'How many employees did we have in 2025?',
  'employees who worked in 2025',
  'bookings cancelled in 2025',
  'employees hired and left in 2025',
  'bookings booked and cancelled in 2025',
  'bookings booked on the check in date',
  'bookings not booked by the check in date',
  'bookings with all extras',
  'bookings by phone or in 2025',
  'number of bookings and cancellations in 2025',
  'all channels but web',
  'first 5 hotels by revenue',
  'worst 3 hotels by number of bookings',
  'top 10 % of hotels by revenue',
  'the 3 highest prices',
  'revenue in 2024 and in 2025',
  'revenue including extras',
  'revenue and number of employees by hotel in 2025',
  'revenue as a percentage of the number of bookings by hotel',
  'how many employees does a hotel have?',
  'hotels by bookings',
  'open hotels',
  'revenue at the end of 2025',
])('does not answer %s', (question) => {
  expect(read(question).kind).not.toBe('plan');
});

const talk = (...messages: string[]) => readQuestion(messages, model, { now: new Date('2026-01-15T00:00:00Z') });

it.each([
  [['bookings in Spain', 'what is their average price?'], { filters: [{ dimension: 'hotels.country' }] }],
  [['revenue by channel', 'also the number of bookings'], { measures: ['bookings.revenue', 'bookings.count'] }],
  [['bookings in Spain', 'also in Austria'], { filters: [{ operator: 'in', values: ['Spain', 'Austria'] }] }],
  [['revenue since March 2025', 'until June 2025'], { timeRange: { from: '2025-03-01', to: '2025-07-01' } }],
  [['bookings in Spain', 'average price', '1'], { filters: [{ dimension: 'hotels.country', values: ['Spain'] }] }],
])('goes on in %s', (messages, plan) => {
  expect(talk(...messages)).toMatchObject({ kind: 'plan', plan });
});

it('asks whether a figure goes on from the question before', () => {
  const asked = talk('bookings in Spain', 'average price');
  expect(asked).toMatchObject({ kind: 'clarify', choices: [expect.stringContaining('Spain'), expect.any(String)] });
  expect(talk('bookings in Spain', 'average price', '2')).not.toMatchObject({ plan: { filters: expect.anything() } });
  expect(talk('bookings in Spain', 'What is the average price of all bookings?').kind).toBe('plan');
});

it.each([
  [['bookings in Spain', 'which hotels?']],
  [['bookings in Spain', 'how many employees']],
  [['latest 3 bookings', 'average price']],
  [['latest 3 bookings', 'sort by price']],
])('does not go on by itself in %s', (messages) => {
  expect(talk(...messages).kind).not.toBe('plan');
});

it('keeps the direction of a ranking that is cut shorter', () => {
  expect(talk('top 5 hotels by revenue', 'only the first 3')).toMatchObject({
    plan: { limit: 3, orderBy: [{ direction: 'desc' }] },
  });
});
