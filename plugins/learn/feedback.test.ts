/** Real questions without a language model, over a layer with gaps: what failed or was rated becomes proposals that answer others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHOP_LAYER, startShop } from '../../test/harness/shop-server.ts';
import { internalDb } from '../internal-db/index.ts';

const PER = (what: string, column: string) => `SELECT ${column}, ${what} AS value FROM orders GROUP BY ${column}`;
const JOINED = 'orders JOIN customers ON customers.id = orders.customer_id';
/** None of them was asked. */
const HELD_OUT = `cases:
  - { id: word, question: Takings by status, sql: "${PER('SUM(total)', 'status')}" }
  - { id: measure, question: Basket by status, sql: "${PER('AVG(total)', 'status')}" }
  - { id: join, question: Revenue by segment, sql: "SELECT segment, SUM(total) AS revenue FROM ${JOINED} GROUP BY segment" }
  - { id: reason, question: How many customers are there by tier?, sql: "SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment" }
  - { id: wording, question: Please show me which clients matter a lot, sql: "SELECT city, SUM(total) AS revenue FROM ${JOINED} GROUP BY city" }
  - { id: known, question: Revenue by region, sql: "${PER('SUM(total)', 'region')}" }
`;
const CASES = 'eval/cases/shop.yml';

let shop: Awaited<ReturnType<typeof startShop>>;
beforeAll(async () => {
  shop = await startShop();
  for (const user of ['bob', 'cyd', 'dan']) {
    // Declined, and asked in other words.
    const { conversationId } = await shop.ask(user, 'Takings by region');
    await shop.ask(user, 'Revenue by region', conversationId);
    // Declined, and written by hand.
    await shop.ask(user, 'Basket by region');
    await shop.sql(user, 'SELECT region, AVG(total) AS basket FROM orders GROUP BY region');
    await shop.ask(user, 'Revenue by city');
    await shop.sql(user, `SELECT city, SUM(total) AS revenue FROM ${JOINED} GROUP BY city`);
    // A thumb with a reason.
    const tier = await shop.ask(user, 'Customers by tier');
    await shop.rate(user, tier.conversationId, 'bad', 'With tier I mean the segment.');
    // Offered, chosen, and found good.
    const clients = await shop.ask(user, 'Which clients matter a lot?');
    await shop.ask(user, '1', clients.conversationId);
    await shop.rate(user, clients.conversationId, 'good');
    shop.nextDay();
  }
}, 60_000);
afterAll(() => shop[Symbol.asyncDispose]());

interface Shown {
  readonly kind: string;
  readonly summary: string;
  readonly support: object;
  readonly evaluation: Readonly<Record<'before' | 'after', { readonly passed: number }>>;
}
const proposals = async (...flags: string[]) => {
  const { code, stdout } = await shop.atlas('learn', '--json', ...flags);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { proposals: Shown[]; evaluation: object };
};
const passing = async () => {
  const { stdout } = await shop.atlas('eval', '--json');
  const { cases } = JSON.parse(stdout) as { cases: { id: string; status: string }[] };
  return cases.flatMap(({ id, status }) => (status === 'passed' ? id : []));
};

describe('what people asked', () => {
  it('becomes proposals with what supports each, and the cases that pass before and after it', async () => {
    shop.write(CASES, HELD_OUT);
    const { proposals: found, evaluation } = await proposals('--eval');
    expect(evaluation).toEqual({ before: { passed: 1, cases: 6 }, after: { passed: 6, cases: 6 }, leftOut: [] });
    const told = found.flatMap(({ kind, summary, evaluation: { before, after } }) =>
      kind === 'pattern' ? [] : [[kind, summary, after.passed - before.passed]],
    );
    expect(told).toEqual([
      ['join', 'orders.customer_id = customers.id', 1],
      ['measure', 'orders.basket: avg of total', 1],
      ['synonym', '"takings" for orders.revenue', 1],
      ['synonym', '"tier" for customers.segment', 1],
      ['wording', '"Which clients matter a lot" for the verified query top_clients', 1],
    ]);
    expect(found.find(({ kind }) => kind === 'synonym')?.support).toEqual({ statements: 3, people: 3, days: 3 });
    for (const [path, text] of Object.entries(SHOP_LAYER)) expect(shop.read(path)).toBe(text);
  }, 60_000);

  it('is left out where a case would pass no more', async () => {
    shop.write(CASES, 'cases: [{ id: asks, question: Which clients matter a lot?, clarify: true }]\n');
    const { stdout, stderr } = await shop.atlas('learn', '--eval');
    expect(stderr).toContain('Evaluation: 1 of 1 cases pass now, 1 of 1 with the proposals.\nLeft out: wording');
    expect(stderr).toContain('asks would pass no more.\n');
    expect(stdout).toContain('synonyms: [takings]');
    expect(stdout).not.toContain('matter a lot');
  }, 60_000);

  it('says where there are no cases', async () => {
    shop.write(CASES, 'cases: [');
    const { code, stderr } = await shop.atlas('learn', '--eval');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${CASES}:1:`)]);
  });

  it('leaves nothing in the log when it is evaluated', async () => {
    shop.write(CASES, HELD_OUT);
    const entries = () => shop.app.get(internalDb).run((db) => db('audit_log').select('id'));
    const before = await entries();
    await proposals('--eval');
    expect(await entries()).toEqual(before);
  }, 60_000);

  it('answers questions that failed before once a person applies it, and is then proposed no more', async () => {
    shop.write(CASES, HELD_OUT);
    expect(await passing()).toEqual(['known']);
    expect((await shop.atlas('learn', '--eval', '--apply')).stdout).toMatch(/\d proposals applied\.\n$/);
    expect((await passing()).sort()).toEqual(['join', 'known', 'measure', 'reason', 'word', 'wording']);
    expect((await proposals()).proposals).toEqual([]);
  }, 60_000);
});
