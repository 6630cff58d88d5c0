/** Figures that answers derive from rows: points, periods, medians, products, durations, fractions. */
import { expect, test } from 'vitest';
import { grounding } from './grounding.ts';

type Row = Readonly<Record<string, unknown>>;

function left(text: string, rows: readonly Row[]): string[] {
  const table = { sql: '', connectionId: 'default', columns: Object.keys(rows[0] ?? {}), rows, truncated: false };
  return grounding({ text, tables: [table], said: ['How many?'], context: () => [] }).ungrounded.map((one) => one.text);
}

const CHANNELS = [
  { channel: 'online', orders: 4820, revenue: 1234567.89 },
  { channel: 'store', orders: 2310, revenue: 498210.5 },
  { channel: 'partner', orders: 870, revenue: 210333.25 },
];
const ORDERS = [1200, 1350, 1275, 1420, 1510, 1488, 1620, 1580, 1705, 1760, 1690, 1845];
const MONTHS = ORDERS.map((orders, index) => ({ month: `2025-${String(index + 1).padStart(2, '0')}`, orders }));
const PLANS = [
  { plan: 'free', churn: 0.0523, users: 18400 },
  { plan: 'pro', churn: 0.0181, users: 5230 },
];
const COUNTRIES = [
  { country: 'Italy', customers: 175, active: 77 },
  { country: 'Spain', customers: 125, active: 100 },
  { country: 'France', customers: 288, active: 190 },
  { country: 'Germany', customers: 412, active: 301 },
];
const AGES = [
  { bucket: '0-17', people: 120 },
  { bucket: '18-34', people: 845 },
  { bucket: '35-64', people: 1310 },
  { bucket: '65+', people: 402 },
];
const VERSIONS = [
  { version: '3.14.2', devices: 45, support: '+41 79 555 01 23' },
  { version: 'V90', devices: 1543, support: '+41 79 555 01 24' },
];
const COUNT = [{ count: 1247 }];

test.each([
  ['63.5% of revenue but only 60.3% of orders came online, a gap of 3.3 percentage points.', CHANNELS],
  ['Free churns 3.42 percentage points or 342 basis points more than pro; 3,42 Prozentpunkte; 3.4 pp.', PLANS],
  ['The share of active customers in Spain is 36 percentage points above that of Italy.', COUNTRIES],
  ['Q1 2025 had 3,825 orders, Q2 4,418, Q3 4,905 and Q4 5,295.', MONTHS],
  ['The first half had 1,373.8 a month, the second half 1,700.', MONTHS],
  ['The median is 1,545 orders a month.', MONTHS],
  ['Free loses about 962 of its 18,400 users.', PLANS],
  ['2,155 people (80.5%) are between 18 and 64.', AGES],
  ['Version 3.14.2 runs on 45 devices; call +41795550123.', VERSIONS],
  ['The build took 1 h 30 min 30 s.', [{ seconds: 5430 }]],
  ['It took 2 days and 4 hours.', [{ seconds: 187_200 }]],
  ['1 in 8 customers is in Spain, about 2/3 are active.', COUNTRIES],
  ['1,247 in FY2024–25 and FY2024/25.', COUNT],
  ['```sql\nSELECT 4711 FROM t\nWHERE x = 815\n```\nThere are 1,247.', COUNT],
])('explained: %s', (text, rows) => {
  expect(left(text, rows)).toEqual([]);
});

test.each([
  ['Free churns 4.42 percentage points more than pro.', PLANS],
  ['Q2 2025 had 4,518 orders.', MONTHS],
  ['The median is 1,645 orders a month.', MONTHS],
  ['The build took 1 h 40 min 30 s.', [{ seconds: 5430 }]],
  ['Version 3.14.3 runs on 45 devices.', VERSIONS],
  ['1 in 5 customers is ours.', COUNT],
  ['```sql\nSELECT 1\n```\nThere are 1,427.', COUNT],
])('not explained: %s', (text, rows) => {
  expect(left(text, rows).length).toBeGreaterThan(0);
});
