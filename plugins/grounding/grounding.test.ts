import { describe, expect, test } from 'vitest';
import type { ToolTable } from '../../kernel/index.ts';
import { grounding, type Material } from './grounding.ts';

type Row = Readonly<Record<string, unknown>>;

const tableOf = (rows: readonly Row[], truncated = false): ToolTable => ({
  sql: 'SELECT …',
  connectionId: 'default',
  columns: Object.keys(rows[0] ?? {}),
  rows,
  truncated,
});

function left(text: string, tables: readonly ToolTable[], more: Partial<Material> = {}): string[] {
  return grounding({ text, tables, said: ['How many?'], context: () => [], ...more }).ungrounded.map((one) => one.text);
}

const REGIONS = [
  { region: 'North', orders: 1234, revenue: 98765.43, refunds: -321.5, share: 0.4213, day: '2024-03-15' },
  { region: 'South', orders: 987, revenue: 45678.9, refunds: -120, share: 0.3371, day: '2024-04-02' },
  { region: 'East', orders: 708, revenue: 12345.67, refunds: 0, share: 0.2416, day: '2024-05-28' },
];
const COUNT = [{ n: 1234567 }];

describe('figures that the rows explain', () => {
  test.each([
    ['There are 1,234,567 orders.', COUNT],
    ['Es gibt 1.234.567 Bestellungen.', COUNT],
    ['Il y a 1 234 567 commandes.', COUNT],
    ['Il y a 1\u202f234\u202f567 commandes, soit 1,23 million.', COUNT],
    ["Es sind 1'234'567 oder 1,2 Mio.", COUNT],
    ['There are 12,34,567 orders, or 12.35 lakh.', COUNT],
    ['About 1.2M orders, that is 1,235k or 1.235e6, 1.23×10⁶ or 1.2 x 10^6.', COUNT],
    ['١٬٢٣٤٬٥٦٧ and 1234567 and १२३४५६७', COUNT],
    ['约123万', COUNT],
    ['Roughly 1,200,000 orders; over 1.2 million.', COUNT],
    ['Revenue: $98,765.43 in the North (42.1%), €45.678,90 in the South and USD12,345.67 in the East.', REGIONS],
    ['Together 156,790.00, or 2,929 orders in 3 regions; on average 976.3 orders.', REGIONS],
    ['North has 247 orders more than South, i.e. 25.0% more, or 1.25 times as many.', REGIONS],
    ['South has 20% fewer orders than North.', REGIONS],
    ['North makes 63.0 % of the revenue, North and South together 92.1 %; the rest is 7.9 percent.', REGIONS],
    ['Refunds were -321.50 (−$120 in the South); net revenue in the North is 98,443.93.', REGIONS],
    ['An order in the North is worth 80.04 on average.', REGIONS],
    ['Anteil Nord: 42,13 %, das ist knapp die Hälfte; mit Ost zusammen 66,29 %.', REGIONS],
    ['Half of it, twice as much, a third.', REGIONS],
    [
      'On 15 March 2024 (2024-03-15, 15.03.2024, 03/15/24, Mar 15th, Q1 2024, FY24, H1 2024) at 10:30 there were 1234.',
      REGIONS,
    ],
    ['Between March and May 2024, North was 1st, South 2nd, East 3rd of the top 5; since 2019.', REGIONS],
    ['1. North: 1,234\n2. South: 987\n3. East: 708\n\n[1] See step 4.', REGIONS],
    ['| # | region | orders |\n|---|---|---|\n| 1 | North | 1,234 |\n| 2 | South | 987 |', REGIONS],
    [
      '```sql\nSELECT * FROM t LIMIT 77\n```\nUsing `LIMIT 78` of v2.3 at https://example.com/99 there are 1234.',
      REGIONS,
    ],
    ['Orders range from 708–1,234 (708 to 1234).', REGIONS],
    ['Revenue rose from 12.3k to 98.8K.', REGIONS],
    ['2 of the 3 regions have more than 900 orders; 1 has no refunds.', REGIONS],
    ['No rows match: 0 orders.', []],
  ])('%s', (text, rows) => {
    expect(left(text, [tableOf(rows)])).toEqual([]);
  });

  test('what a statement compares with, but for limits and dates', () => {
    const sql = `SELECT COUNT(*) AS n FROM orders WHERE age BETWEEN 18 AND 25 AND at < date('now', '-90 days')
      AND day >= '2024-03-17' LIMIT 700`;
    const tables = [{ ...tableOf([{ n: 44 }]), sql }];
    expect(left('44 people aged 18 to 25 have not ordered for 90 days.', tables)).toEqual([]);
    expect(left('There are 700 of them, and 17 more.', tables)).toEqual(['700', '17']);
  });

  test('of several results, and of what was said', () => {
    const tables = [tableOf([{ n: 500 }]), tableOf([{ n: 400 }])];
    expect(left('500 this month after 400, so 100 or 25% more.', tables)).toEqual([]);
    const said = ['Revenue over 250?', 'It was 800 last year.', 'And the growth with a target of 1,500?'];
    expect(
      left('With 500 over 250: -37.5% against 800, and 1,000 below the target of 1,500.', tables, { said }),
    ).toEqual([]);
    expect(left('VAT is 19%.', [], { context: () => ['The VAT is 19 %.'] })).toEqual([]);
  });
});

describe('figures that nothing explains', () => {
  test.each([
    ['There are 510 orders.', [{ n: 500 }], ['510']],
    ['There are 1987 orders.', [{ n: 500 }], ['1987']],
    ['It grew by 13.7%.', [{ n: 500 }], ['13.7%']],
    ['North: 1,243 orders, $98,756.43.', REGIONS, ['1,243', '98,756.43']],
    ['Es sind 1.324.567 Bestellungen.', COUNT, ['1.324.567']],
    ['Roughly 1.5M.', COUNT, ['1.5M']],
    ['Together 160,000.17.', REGIONS, ['160,000.17']],
    ['Refunds: -1234567 orders.', COUNT, ['-1234567']],
    ['Il y a 1 234 567 et 1 234 576 commandes.', COUNT, ['1 234 576']],
  ])('%s', (text, rows, expected) => {
    expect(left(text, [tableOf(rows)])).toEqual(expected);
  });

  test('a sum of a part is no sum of the whole, nor its length a count', () => {
    const rows = Array.from({ length: 1000 }, (_, n) => ({ id: `o${n}`, amount: 17.5 + (n % 37) }));
    const sum = rows.reduce((all, { amount }) => all + amount, 0);
    const text = `There are 1,000 orders worth ${sum.toFixed(2)}, ${(sum / 1000).toFixed(3)} on average.`;
    expect(left(text, [tableOf(rows)])).toEqual([]);
    expect(left(text, [tableOf(rows, true)])).toEqual(['1,000', sum.toFixed(2), (sum / 1000).toFixed(3)]);
    expect(left('Of the first 1,000 orders the largest is 53.50.', [tableOf(rows, true)])).toEqual([]);
    const context = () => ['A result has at most 1000 rows.'];
    expect(left('There are 1,000 orders.', [tableOf(rows, true)], { context })).toEqual(['1,000']);
    expect(left('The result was cut at 1,000 rows.', [tableOf(rows, true)], { context })).toEqual([]);
  });
});
