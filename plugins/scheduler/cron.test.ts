import { expect, it } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { cronProblem, nextTime, timezoneProblem } from './cron.ts';
import { caller, clockAt, haveEnded, settle, startModel, startScheduled, until } from './fixtures/scheduled-app.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');

it.each(['* * * * *', '*/15 0-6,22 1 JAN-JUN mon', '0 0 29 2 *', '0 0 L * *', '0 9 * * 1#1', '0 0 31 2,3 *'])(
  'takes %s',
  (expression) => expect(cronProblem(expression, NOW)).toBeUndefined(),
);

it.each(['UTC', 'Europe/Berlin', 'america/new_york', 'US/Eastern', 'Asia/Kolkata'])('takes the time zone %s', (zone) =>
  expect(timezoneProblem(zone)).toBeUndefined(),
);

it.each(['+01:00', '-5', 'Berlin', 'Europe/Berlin; DROP', '../etc/passwd', ''])('refuses the time zone %j', (zone) =>
  expect(timezoneProblem(zone)).toMatch(/IANA/),
);

it('finds the next time strictly after the given one', () => {
  const at = Date.parse('2026-01-15T08:00:00Z');
  expect([nextTime('0 8 * * *', 'UTC', at - 1), nextTime('0 8 * * *', 'UTC', at)]).toEqual([at, at + 86_400_000]);
});

/** The runs of a task while the clock is moved in steps of half an hour. */
async function runsOf(task: object, from: string, to: string): Promise<string[]> {
  using folder = emptyFolder();
  await using model = await startModel(() => ({ text: 'Done.' }));
  const clock = clockAt(from);
  await using app = await startScheduled(`sqlite:${folder.path}/atlas.db`, model, { clock });
  const user = caller(app);
  const { id } = await user.create(task);
  let expected = 0;
  while (clock.now < Date.parse(to)) {
    clock.now += 1_800_000;
    const { nextRunAt } = await user.get(id);
    if (Date.parse(nextRunAt) <= clock.now) expected += 1;
    await until(() => user.runs(id), haveEnded(expected));
  }
  await settle();
  return (await user.runs(id)).map(({ scheduledFor }) => scheduledFor).reverse();
}

/** As croner documents it: a fixed time in the gap runs at the first valid time after it, one that repeats runs once. */
it.each([
  // 02:00 to 03:00 is left out: 02:30 becomes 03:00, which is 01:00 UTC.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
  // 02:00 to 03:00 comes twice: only the first 02:30, in summer time.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
  ['30 2 * * *', 'America/New_York', '2026-03-07T06:00Z', ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30']],
  // There it is the hour from 01:00 that repeats.
  ['30 1 * * *', 'America/New_York', '2026-10-31T05:00Z', ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30']],
])('runs %s in %s across the change of %s', { timeout: 60_000 }, async (cronExpression, timezone, from, times) => {
  const to = new Date(Date.parse(from) + 60 * 3_600_000).toISOString();
  expect(await runsOf({ cronExpression, timezone }, from, to)).toEqual(times.map((time) => `${time}:00.000Z`));
});

it('runs an hourly task in each hour of the day that repeats one, and in none that is left out', () => {
  const next = (from: string, count: number) => {
    const times = [Date.parse(from)];
    while (times.length <= count) times.push(nextTime('30 * * * *', 'Europe/Berlin', times.at(-1) ?? 0) ?? 0);
    return times.slice(1).map((time) => new Date(time).toISOString().slice(11, 16));
  };
  expect(next('2026-10-24T23:45Z', 3)).toEqual(['00:30', '01:30', '02:30']);
  expect(next('2026-03-28T23:45Z', 3)).toEqual(['00:30', '01:30', '02:30']);
});
