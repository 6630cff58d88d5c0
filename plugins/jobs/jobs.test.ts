import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, definePlugin } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { dueTimes } from '../../test/harness/job-times.ts';
import { internalDb } from '../internal-db/index.ts';
import { type Job, JobError, type JobKindOptions, type Jobs, jobs } from './index.ts';

type Run = (job: Job<{ n: number }>) => unknown;

/** An app with one kind of jobs, `work`. */
async function start(
  url: string | undefined,
  run: Run,
  options: JobKindOptions = {},
  maxJobs = 1_000,
): Promise<TestApp & { jobs: Jobs }> {
  const user = definePlugin({
    name: 'user',
    version: '1.0.0',
    type: 'core',
    description: 'Has jobs.',
    needs: { jobs },
    setup(_, __, needs) {
      needs.jobs.define<{ n: number }>('work', { backoffMs: 50, ...options }, async (job) => void (await run(job)));
    },
  });
  const app = await createTestApp({
    plugins: [internalDb(url === undefined ? {} : { url }), jobs({ pollMs: 100, maxJobs }), user()],
  });
  return Object.assign(app, { jobs: app.get(jobs) });
}

/** Jobs that wait or run. */
const stored = (app: App, db = app.get(internalDb)): Promise<unknown[]> =>
  db.run((knex) => knex(db.dialect === 'sqlite' ? 'jobs' : 'atlas_jobs.job').select('id'));

describe.each(chosenEngines)('jobs on %s', (_name, startEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('prepares nothing where no plugin has jobs', async () => {
    await using app = await createTestApp({ plugins: [internalDb({ url: await engine.fresh() }), jobs()] });
    expect(app.get(jobs).describe()).toMatchObject({ status: 'ok', running: 0 });
    const db = app.get(internalDb);
    const schemas = await db.run<unknown[]>((knex) =>
      db.dialect === 'postgres' ? knex('pg_namespace').where('nspname', 'like', '%jobs') : Promise.resolve([]),
    );
    expect(schemas).toEqual([]);
  });

  it('runs a job once, with its payload, and forgets it', async () => {
    const seen: unknown[] = [];
    await using app = await start(await engine.fresh(), ({ payload, key, attempt, isLast }) => {
      seen.push({ payload, key, attempt, isLast });
    });
    const payload = { n: 1, text: 'NUL \0, half a character \ud800, "quotes" \\' };
    await app.jobs.add('work', payload, { key: 'a' });
    await expect.poll(() => seen).toEqual([{ payload, key: 'a', attempt: 1, isLast: false }]);
    await expect.poll(() => stored(app)).toEqual([]);
    // The worker learns a moment later that its job is removed.
    await expect.poll(() => app.jobs.describe()).toMatchObject({ status: 'ok', running: 0 });
  });

  it('adds no second job while one with the key waits or runs, and another one after it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    await using app = await start(await engine.fresh(), () => {
      runs += 1;
      return promise;
    });
    const later = { key: 'later', startAt: new Date(Date.now() + 3_600_000) };
    await app.jobs.add('work', { n: 1 }, later);
    await app.jobs.add('work', { n: 2 }, later);
    await app.jobs.add('work', { n: 3 }, { key: 'now' });
    await expect.poll(() => runs).toBe(1);
    await app.jobs.add('work', { n: 4 }, { key: 'now' });
    expect(await stored(app)).toHaveLength(2);
    await app.jobs.remove('work', 'later');
    resolve();
    await expect.poll(() => stored(app)).toEqual([]);
    await app.jobs.add('work', { n: 5 }, { key: 'now' });
    await expect.poll(() => runs).toBe(2);
  });

  it('adds with the transaction or not at all', async () => {
    const seen: number[] = [];
    await using app = await start(await engine.fresh(), ({ payload }) => seen.push(payload.n));
    const db = app.get(internalDb);
    const failing = db.transaction(async (transaction) => {
      await app.jobs.add('work', { n: 1 }, { transaction });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await db.transaction((transaction) => app.jobs.add('work', { n: 2 }, { transaction }));
    await expect.poll(() => seen).toEqual([2]);
    await expect.poll(() => stored(app)).toEqual([]);
    // Woken by the commit, the worker must not take itself for a part of the transaction.
    expect(app.lines.filter(({ message }) => message === 'Jobs cannot be fetched.')).toEqual([]);
  });

  it('tries again with a growing wait, and gives up after the last attempt', async () => {
    const attempts: [number, boolean][] = [];
    await using app = await start(
      await engine.fresh(),
      ({ attempt, isLast }) => {
        attempts.push([attempt, isLast]);
        throw new Error('always');
      },
      { attempts: 3 },
    );
    await app.jobs.add('work', { n: 1 });
    await expect.poll(() => stored(app)).toEqual([]);
    expect(attempts).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(app.lines.filter(({ message }) => message.includes('given up'))).toHaveLength(1);
  });

  it('tries a final error not again, and waits as long as the error says', async () => {
    const times: number[] = [];
    await using app = await start(
      await engine.fresh(),
      ({ payload }) => {
        times.push(Date.now());
        throw new JobError('no', payload.n === 1 ? { final: true } : { retryAfterMs: 3_600_000 });
      },
      { attempts: 2 },
    );
    await app.jobs.add('work', { n: 1 });
    await expect.poll(() => stored(app)).toEqual([]);
    expect(times).toHaveLength(1);
    await app.jobs.add('work', { n: 2 });
    await expect.poll(() => times).toHaveLength(2);
    await expect.poll(() => dueTimes(app)).toHaveLength(1);
    expect((await dueTimes(app))[0]).toBeGreaterThanOrEqual((times[1] ?? 0) + 3_600_000);
  });

  it('aborts a job at its deadline', async () => {
    const reasons: string[] = [];
    await using app = await start(
      await engine.fresh(),
      async ({ scope: { signal } }) => {
        await sleep(20_000, undefined, { signal }).catch(() => {});
        reasons.push(signal.reason.message);
        signal.throwIfAborted();
      },
      { deadlineMs: 150, attempts: 2 },
    );
    await app.jobs.add('work', { n: 1 });
    await expect.poll(() => reasons).toEqual(Array(2).fill('The job did not end within 150 ms.'));
    await expect.poll(() => stored(app)).toEqual([]);
  });

  it('runs as many at a time as the kind allows, and all in the end', async () => {
    let [now, most, all] = [0, 0, 0];
    await using app = await start(
      await engine.fresh(),
      async () => {
        now += 1;
        most = Math.max(most, now);
        await sleep(5);
        now -= 1;
        all += 1;
      },
      { concurrency: 3 },
    );
    await Promise.all(Array.from({ length: 40 }, (_, n) => app.jobs.add('work', { n })));
    await expect.poll(() => all).toBe(40);
    expect(most).toBe(3);
  });

  it('gives a running job back at a stop, and runs it after the next start', async () => {
    const url = await engine.fresh();
    const attempts: number[] = [];
    const app = await start(url, ({ attempt, scope: { signal } }) => {
      attempts.push(attempt);
      return once(signal, 'abort').then(() => signal.throwIfAborted());
    });
    await app.jobs.add('work', { n: 1 });
    await app.jobs.add('work', { n: 2 }, { startAt: new Date(Date.now() + 500) });
    await expect.poll(() => attempts[0]).toBe(1);
    await app.close();
    const seen: [number, number][] = [];
    await using next = await start(url, ({ payload, attempt }) => seen.push([payload.n, attempt]));
    await expect
      .poll(() => seen.toSorted())
      .toEqual([
        [1, 1],
        [2, 1],
      ]);
    await expect.poll(() => stored(next)).toEqual([]);
  });

  it('servers start at once on an empty database', async () => {
    const url = await engine.fresh();
    const seen: number[] = [];
    const servers = await Promise.all(
      Array.from({ length: 4 }, () => start(url, ({ payload }) => seen.push(payload.n))),
    );
    await Promise.all(servers.map(({ jobs: queue }, n) => queue.add('work', { n })));
    await expect.poll(() => seen.toSorted()).toEqual([0, 1, 2, 3]);
    await Promise.all(servers.map((server) => server.close()));
  });

  it('two servers run each job once', async () => {
    const url = await engine.fresh();
    const seen: number[] = [];
    const run: Run = async ({ payload }) => {
      seen.push(payload.n);
      await sleep(3);
    };
    await using one = await start(url, run);
    await using two = await start(url, run);
    const jobsOf = (n: number) => (n % 2 === 0 ? one : two).jobs;
    await Promise.all(Array.from({ length: 60 }, (_, n) => jobsOf(n).add('work', { n }, { key: `${n % 50}` })));
    await expect.poll(() => stored(one)).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(new Set(seen.map((n) => n % 50)).size).toBe(50);
  });

  it('runs a job again whose server was silent, and lets only the new run end it', async () => {
    const url = await engine.fresh();
    const seen: unknown[] = [];
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const run: Run = async ({ attempt, isLast, scope: { signal } }) => {
      if (attempt > 1) {
        seen.push({ attempt, isLast });
        return release;
      }
      await sleep(20_000, undefined, { signal }).catch(() => {});
      seen.push(signal.reason.message);
    };
    await using app = await start(url, run, { attempts: 1, concurrency: 2 });
    await app.jobs.add('work', { n: 1 }, { key: 'a' });
    await expect.poll(() => app.jobs.describe().running).toBe(1);
    // As the engine does it when the lease has run out.
    const db = app.get(internalDb);
    await db.run((knex) =>
      db.dialect === 'sqlite' ? knex('jobs').update({ due_at: 0 }) : knex('atlas_jobs.job').update({ state: 'retry' }),
    );
    await expect.poll(() => seen).toContainEqual({ attempt: 2, isLast: true });
    await expect.poll(() => seen).toContain('The job was given to another server.');
    await expect.poll(() => app.jobs.describe().running).toBe(1);
    expect(await stored(app)).toHaveLength(1);
    resolve();
    await expect.poll(() => stored(app)).toEqual([]);
  });

  it('waits no longer for a run that goes on although it was told to stop', async () => {
    await using app = await start(await engine.fresh(), () => new Promise(() => {}), { deadlineMs: 100, attempts: 1 });
    await app.jobs.add('work', { n: 1 });
    const messages = () => app.lines.map(({ message }) => message);
    await expect.poll(messages).toContain('A job failed and was given up.');
    expect(messages()).toContain('A job goes on although it was told to stop.');
    await expect.poll(() => stored(app)).toEqual([]);
    await expect.poll(() => app.jobs.describe().running).toBe(0);
  });

  it('gives a job up whose servers have all died', async () => {
    let runs = 0;
    await using app = await start(await engine.fresh(), () => {
      runs += 1;
    });
    await app.jobs.add('work', { n: 1 }, { startAt: new Date(Date.now() + 3_600_000) });
    const db = app.get(internalDb);
    await db.run((knex) =>
      db.dialect === 'sqlite'
        ? knex('jobs').update({ attempt: 6, due_at: 0 })
        : knex('atlas_jobs.job').update({ retry_count: 6, start_after: new Date(0) }),
    );
    await expect.poll(() => stored(app)).toEqual([]);
    const messages = app.lines.map(({ message }) => message);
    expect(messages).toContain('A job was given up: each server that ran it has died.');
    expect(runs).toBe(0);
  });

  it('takes no more jobs than may wait', async () => {
    const startAt = new Date(Date.now() + 3_600_000);
    await using app = await start(await engine.fresh(), () => {}, {}, 100);
    for (let n = 0; n < 100; n += 1) await app.jobs.add('work', { n }, { startAt });
    const refusal = () =>
      app.jobs.add('work', { n: 100 }, { startAt }).then(
        () => 'taken',
        ({ code }) => code,
      );
    await expect.poll(refusal, { timeout: 25_000, interval: 1_000 }).toBe('unavailable');
  });

  it('refuses a payload that is too large, and a kind that is not known', async () => {
    await using app = await start(await engine.fresh(), () => {});
    await expect(app.jobs.add('work', { text: 'x'.repeat(1_000_001) })).rejects.toThrow('more than 1000000 bytes');
    await expect(app.jobs.add('wrok', {})).rejects.toThrow('No plugin defines jobs of the kind "wrok".');
  });
});

it('answers not_available without a database', async () => {
  await using app = await start(undefined, () => {});
  await expect(app.jobs.add('work', { n: 1 })).rejects.toMatchObject({ code: 'not_available' });
  expect(app.jobs.describe().status).toBe('off');
});

it('refuses two definitions of one kind', async () => {
  const user = definePlugin({
    name: 'user',
    version: '1.0.0',
    type: 'core',
    description: 'Has jobs.',
    needs: { jobs },
    setup(_, __, needs) {
      needs.jobs.define('work', {}, () => {});
      needs.jobs.define('work', {}, () => {});
    },
  });
  await expect(createTestApp({ plugins: [internalDb(), jobs(), user()] })).rejects.toThrow(
    'Two plugins define jobs of the kind "work".',
  );
});
