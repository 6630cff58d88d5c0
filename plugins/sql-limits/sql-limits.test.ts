import { describe, expect, it } from 'vitest';
import { type SqlReply, type SqlStatement, sqlAfter, sqlBefore } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { waterfallContract } from '../../test/contract/taps.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { sqlLimits } from './index.ts';

const statement: SqlStatement = {
  connection: { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:shop.db' },
  requested: 'SELECT 1',
  sql: 'SELECT 1',
  params: [],
  surface: 'test',
};
const defaults = { maxRows: 1_000, maxBytes: 8_388_608, maxCellBytes: 65_536, timeoutMs: 30_000 };
const reply = (count: number, maxRows: number): SqlReply => ({
  statement: { ...statement, limits: { ...defaults, maxRows } },
  result: {
    columns: ['n'],
    rows: Array.from({ length: count }, (_, n) => ({ n })),
    truncated: false,
    notes: ['Column "n" is noted.'],
  },
  durationMs: 1,
});

pluginContract('sql-limits', () => sqlLimits());
waterfallContract(sqlBefore, () => sqlLimits(), { payloads: [statement] });
waterfallContract(sqlAfter, () => sqlLimits(), { payloads: [reply(2, 5), reply(6, 5)] });

describe('sql-limits', () => {
  it('sets its limits, by default those of the documentation', async () => {
    await using app = await createTestApp({ plugins: [sqlLimits()] });
    expect((await app.call(sqlBefore, statement, app.scope())).limits).toEqual(defaults);
  });

  it('leaves a smaller limit of another plugin in place', async () => {
    await using app = await createTestApp({ plugins: [sqlLimits({ timeoutMs: 500 })] });
    const set = { maxRows: 10, maxBytes: 1e9, maxCellBytes: 99, timeoutMs: 9_999 };
    const { limits } = await app.call(sqlBefore, { ...statement, limits: set }, app.scope());
    expect(limits).toEqual({ maxRows: 10, maxBytes: 8_388_608, maxCellBytes: 99, timeoutMs: 500 });
  });

  it('cuts what a driver returned too much, and says so', async () => {
    await using app = await createTestApp({ plugins: [sqlLimits()] });
    const { result } = await app.call(sqlAfter, reply(6, 5), app.scope());
    expect(result.rows).toHaveLength(5);
    expect(result.truncated).toBe(true);
    expect(result.notes).toEqual(['Column "n" is noted.', 'Only the first 5 rows are given; there are more.']);
  });

  it('says to whom the rows are cut, also where the driver kept to the limit', async () => {
    await using app = await createTestApp({ plugins: [sqlLimits()] });
    const changes = async (given: SqlReply) => (await app.call(sqlAfter, given, app.scope())).statement.changes;
    const cut = { plugin: 'sql-limits', reason: 'Only the first 5 rows are given; there are more.' };
    const full = reply(5, 5);
    const earlier = { plugin: 'other', reason: 'It had a reason.' };
    const kept = { ...full, statement: { ...full.statement, changes: [earlier] } };
    expect(await changes(reply(6, 5))).toEqual([cut]);
    expect(await changes({ ...kept, result: { ...full.result, truncated: true } })).toEqual([earlier, cut]);
    expect(await changes(kept)).toEqual([earlier]);
  });

  it('leaves a full result alone that is not cut', async () => {
    await using app = await createTestApp({ plugins: [sqlLimits()] });
    const full = reply(5, 5);
    expect((await app.call(sqlAfter, full, app.scope())).result).toEqual(full.result);
  });

  it.each([{ maxRows: 0 }, { maxBytes: -1 }, { timeoutMs: 1.5 }, { maxRows: 'many' as never }])(
    'refuses the option %j',
    async (options) => {
      await expect(createTestApp({ plugins: [sqlLimits(options)] })).rejects.toThrow(Object.keys(options)[0]);
    },
  );
});
