/** What checking the figures of an answer takes, by the length of its results and by what is wrong. */
import type { ToolTable } from '../../kernel/index.ts';
import { groundingOf } from '../../plugins/grounding/index.ts';
import { type Bench, median, type Row } from './measure.ts';

const ROUNDS = 300;
const TARGET_MS = 2;

function table(length: number): ToolTable {
  const rows = Array.from({ length }, (_, index) => ({
    id: index,
    region: ['North', 'South', 'East', 'West'][index % 4],
    product: `Product ${index % 40}`,
    orders: (index * 7919) % 1013,
    revenue: ((index * 104_729) % 999_983) / 100,
    cost: String(((index * 15_485) % 99_991) / 100),
    day: `2024-03-${String((index % 28) + 1).padStart(2, '0')}`,
    note: 'A note of some words that says nothing.',
  }));
  return { sql: 'SELECT …', connectionId: 'default', columns: Object.keys(rows[0] ?? {}), rows, truncated: false };
}

const ANSWERS = {
  'right figures': (sum: number) =>
    `Revenue was $${sum.toLocaleString('en-US')} in all. North: 250 orders, South 250, on 15 March 2024; the first row has 0 orders.`,
  'eight wrong figures': () =>
    'North made $98,765.13, or 41.37% of it, after 12,345.67 and 8,888.99 (+17.31%); South 4,444.17, 3.777 times East, over 77,777.',
};

export const grounding: Bench = async () => {
  const rows: Row[] = [];
  for (const length of [10, 1_000, 10_000]) {
    const tables = [table(length)];
    const sum = tables[0]?.rows.reduce((all, row) => all + Number(row.revenue), 0) ?? 0;
    for (const [what, answer] of Object.entries(ANSWERS)) {
      const text = answer(sum);
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        // Processor time: the check waits for nothing.
        const begun = process.cpuUsage();
        groundingOf({ text, tables, said: ['How were sales by region?'], context: () => [] });
        const { user, system } = process.cpuUsage(begun);
        times.push((user + system) / 1_000);
      }
      rows.push({
        what: `${what}, ${length.toLocaleString('en-US')} rows of 8 columns`,
        value: median(times),
        unit: 'ms',
        ...(length <= 1_000 && { target: TARGET_MS }),
      });
    }
  }
  return rows;
};
