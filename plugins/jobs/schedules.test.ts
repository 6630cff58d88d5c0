import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, definePlugin, type PluginEntry, type ScheduledJob, scheduleCollect } from '../../kernel/index.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs, purgeDaily } from './index.ts';

const HOUR_MS = 3_600_000;

/** A clock that a test sets. */
class Clock {
  ms = Date.parse('2026-03-01T12:30:00Z');
}

function recurring(...work: ScheduledJob[]): PluginEntry {
  return definePlugin({
    name: 'user',
    version: '1.0.0',
    type: 'core',
    description: 'Has recurring work.',
    setup(ctx) {
      ctx.tap(scheduleCollect, () => work);
    },
  })();
}

/** A plugin with jobs, so that there is a queue. */
const kindOfJobs = definePlugin({
  name: 'queued',
  version: '1.0.0',
  type: 'core',
  description: 'Has jobs.',
  needs: { jobs },
  setup(_, __, needs) {
    needs.jobs.define('work', {}, () => {});
  },
});

const start = (clock: Clock, url: string | undefined, ...plugins: PluginEntry[]) =>
  createApp(
    { plugins: [internalDb(url === undefined ? {} : { url }), jobs({ pollMs: 100 }), ...plugins] },
    { now: () => clock.ms },
  );

describe.each(chosenEngines)('schedules on %s', (_name, startEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it.each([
    ['as jobs', true],
    ['without jobs of any kind', false],
  ])('does recurring work %s once among the servers, and once when it was missed', async (_how, isCarried) => {
    const clock = new Clock();
    const url = await engine.fresh();
    const seen: number[] = [];
    const work = recurring({ name: 'hourly', cron: '0 * * * *', run: () => void seen.push(clock.ms) });
    const withJobs = [work, ...(isCarried ? [kindOfJobs()] : [])];
    const begin = clock.ms;
    {
      await using _one = await start(clock, url, ...withJobs);
      await using _two = await start(clock, url, ...withJobs);
      clock.ms += HOUR_MS;
      await expect.poll(() => seen).toEqual([begin + HOUR_MS]);
      // Both have looked again by then.
      clock.ms += 60_000;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(seen).toHaveLength(1);
    }
    clock.ms += 5 * HOUR_MS;
    await using _again = await start(clock, url, ...withJobs);
    await expect.poll(() => seen).toEqual([begin + HOUR_MS, clock.ms]);
  });

  it('purges at the start, and at night by one server', async () => {
    const clock = new Clock();
    const purged: string[] = [];
    const cleaner = definePlugin({
      name: 'cleaner',
      version: '1.0.0',
      type: 'core',
      description: 'Purges.',
      needs: { jobs },
      setup(ctx, _, needs) {
        purgeDaily(ctx, needs.jobs, 'The rubbish', async () => void purged.push(new Date(clock.ms).toISOString()));
      },
    });
    const url = await engine.fresh();
    await using app = await start(clock, url, cleaner());
    await using _other = await start(clock, url, cleaner());
    const startedAt = new Date(clock.ms).toISOString();
    await expect.poll(() => purged).toEqual([startedAt, startedAt]);
    const looked = () => app.get(internalDb).run((knex) => knex('job_schedules').select('name'));
    await expect.poll(looked).toEqual([{ name: 'cleaner/daily-purge' }]);
    clock.ms = Date.parse('2026-03-02T03:17:00Z');
    await expect.poll(() => purged).toEqual([startedAt, startedAt, '2026-03-02T03:17:00.000Z']);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(purged).toHaveLength(3);
  });
});

it('does recurring work without a database too, from its first time on', async () => {
  const clock = new Clock();
  const seen: number[] = [];
  const work = recurring({ name: 'hourly', cron: '0 * * * *', run: () => void seen.push(clock.ms) });
  await using _app = await start(clock, undefined, work);
  expect(seen).toEqual([]);
  clock.ms += HOUR_MS;
  await expect.poll(() => seen).toEqual([clock.ms]);
});

it.each([
  [[{ name: 'x', cron: '61 * * * *' }], 'The recurring work "user/x" cannot be scheduled: '],
  [[{ name: 'x', cron: '* * * * *', timezone: 'Mars/Base' }], 'The recurring work "user/x" cannot be scheduled: '],
  [
    [
      { name: 'x', cron: '* * * * *' },
      { name: 'x', cron: '0 * * * *' },
    ],
    'The recurring work "user/x" is there twice; rename one.',
  ],
])('does not start with %j', async (work, message) => {
  const refused = start(new Clock(), undefined, recurring(...work.map((item) => ({ ...item, run: () => {} }))));
  await expect(refused).rejects.toThrow(message);
});
