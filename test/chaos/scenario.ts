/** Has scheduled questions come due and actions approved while servers or the database fail, and counts what became of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startCluster } from './cluster.ts';

const PARALLEL = 8;
const KILL_EVERY_MS = 2_500;
const OUTAGE_MS = 5_000;
const HANG_MS = 20_000;
/** For what dead servers held to be taken over and finished. */
const SETTLE_MS = 120_000;
const MOST_TASKS_OF_A_USER = 100;
/** Once a year: the only time that comes due is the one that is set here. */
const YEARLY = '0 0 1 1 *';

export interface ScenarioOptions {
  /**
   * `kills`: of servers; `outage`: PostgreSQL stops and starts; `hang`: it says nothing for longer than leases last;
   * `partition`: so for one of the servers only, whose work the others take over.
   */
  readonly fault: 'kills' | 'outage' | 'hang' | 'partition';
  readonly tasks: number;
  readonly approvals: number;
  readonly chaosMs: number;
}

export interface Figures {
  readonly kills: number;
  /** Servers that ended and were not killed. */
  readonly exits: readonly string[];
  /** Due windows, and those of them with exactly one run, which has ended. */
  readonly windows: number;
  readonly windowsWithOneEndedRun: number;
  readonly runsThatSucceeded: number;
  readonly runsBegunAgain: number;
  readonly deliveries: number;
  readonly deliveriesSent: number;
  /** Approved actions, and those of them that ended, exactly once. */
  readonly approved: number;
  readonly endedOnce: number;
  readonly executed: number;
  readonly actionsResumed: number;
  /** Calls of handlers for the same action that went on at the same time. */
  readonly overlaps: number;
  /** What is still running, waiting or leased at the end. */
  readonly leftOver: number;
  /** From the end of the chaos until nothing was left. */
  readonly settledMs: number;
}

async function parallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, one));
}

async function createTasks(cluster: Cluster, count: number): Promise<void> {
  const byHttp = Math.min(count, MOST_TASKS_OF_A_USER);
  await parallel(byHttp, async (n) => {
    const { status, json } = await cluster.ask('/api/v1/scheduled-tasks', {
      name: `Boats ${n}`,
      question: 'How many boats are there?',
      cronExpression: YEARLY,
      deliveryChannel: 'webhook',
      recipients: [{ type: 'webhook', url: `${cluster.receiver.url}/report` }],
    });
    if (status !== 201) throw new Error(`A task was answered with ${status}: ${JSON.stringify(json)}`);
  });
  await cluster.query(`CREATE TEMP TABLE more AS SELECT * FROM scheduled_tasks LIMIT ${count - byHttp};
    UPDATE more SET id = gen_random_uuid(); INSERT INTO scheduled_tasks SELECT * FROM more`);
}

/** Resolves to the ids of actions that await approval. */
async function createActions(cluster: Cluster, count: number): Promise<string[]> {
  const ids: string[] = [];
  await parallel(count, async () => {
    const question = `Post it to ${cluster.receiver.url}/action now`;
    const { status, json } = await cluster.ask('/api/v1/query', { question });
    const [action] = (json as { pendingActions?: { id: string }[] }).pendingActions ?? [];
    if (action === undefined) throw new Error(`No action was asked for (${status}): ${JSON.stringify(json)}`);
    ids.push(action.id);
  });
  return ids;
}

/** The approvals, spread over the time. */
async function approveAll(cluster: Cluster, ids: readonly string[], overMs: number): Promise<void> {
  await Promise.all(
    ids.map(async (id, index) => {
      await sleep((index / ids.length) * overMs);
      // Whoever was killed while it answered has approved it, or another server does.
      await cluster.ask(`/api/v1/actions/${id}/approve`, {});
    }),
  );
}

async function inflict({ fault, chaosMs }: ScenarioOptions, cluster: Cluster): Promise<number> {
  if (fault !== 'kills') {
    const { database, relay } = cluster;
    await sleep(chaosMs / 4);
    if (fault === 'partition') relay.cut();
    else await (fault === 'hang' ? database.freeze() : database.pause());
    await sleep(fault === 'outage' ? OUTAGE_MS : HANG_MS);
    if (fault === 'partition') relay.mend();
    else await (fault === 'hang' ? database.thaw() : database.resume());
    await sleep(chaosMs / 4);
    return 0;
  }
  const until = performance.now() + chaosMs;
  let kills = 0;
  for (; performance.now() < until; kills += 1) {
    await sleep(KILL_EVERY_MS * (0.5 + Math.random()));
    await cluster.replaceOne();
  }
  return kills;
}

const LEFT_OVER = `SELECT (SELECT COUNT(*) FROM scheduled_runs WHERE status = 'running')
  + (SELECT COUNT(*) FROM scheduled_tasks WHERE next_run_at <= now())
  + (SELECT COUNT(*) FROM scheduled_deliveries WHERE status = 'pending')
  + (SELECT COUNT(*) FROM actions WHERE status IN ('pending', 'approved'))
  + (SELECT COUNT(*) FROM atlas_jobs.job) AS n`;

const COUNTS = `SELECT
  (SELECT COUNT(*) FROM (SELECT t.id FROM scheduled_tasks t JOIN scheduled_runs r ON r.task_id = t.id
    GROUP BY t.id HAVING COUNT(*) = 1 AND bool_and(r.completed_at IS NOT NULL AND r.status <> 'running')) one) AS windows_once,
  (SELECT COUNT(*) FROM scheduled_runs WHERE status = 'success') AS succeeded,
  (SELECT COUNT(*) FROM scheduled_runs WHERE attempt > 1) AS again,
  (SELECT COUNT(*) FROM scheduled_deliveries) AS deliveries,
  (SELECT COUNT(*) FROM scheduled_deliveries WHERE status = 'sent') AS sent,
  (SELECT COUNT(DISTINCT action_id) FROM action_history WHERE move = 'approved') AS approved,
  (SELECT COUNT(*) FROM (SELECT action_id FROM action_history WHERE move IN ('executed', 'failed')
    GROUP BY action_id HAVING COUNT(*) = 1) one) AS ended_once,
  (SELECT COUNT(*) FROM actions WHERE status = 'executed') AS executed,
  (SELECT COUNT(*) FROM actions WHERE runs > 1) AS resumed`;

function overlapsOf({ calls }: Cluster): number {
  const byKey = Object.values(Object.groupBy(calls, ({ key }) => key));
  return byKey.reduce((sum, same = []) => {
    const sorted = same.toSorted((a, b) => a.begunAt - b.begunAt);
    return sum + sorted.filter((call, at) => at > 0 && call.begunAt < (sorted[at - 1]?.endedAt ?? 0)).length;
  }, 0);
}

export async function runScenario(options: ScenarioOptions): Promise<Figures> {
  await using cluster = await startCluster();
  await createTasks(cluster, options.tasks);
  const ids = await createActions(cluster, options.approvals);
  const spreadMs = options.chaosMs * 0.7;
  await cluster.query(
    `UPDATE scheduled_tasks SET next_run_at = now() + random() * interval '${Math.round(spreadMs)} milliseconds'`,
  );
  const [kills] = await Promise.all([inflict(options, cluster), approveAll(cluster, ids, spreadMs)]);
  const faultEndedAt = performance.now();
  const leftOver = async () => Number((await cluster.query<{ n: string }>(LEFT_OVER))[0]?.n);
  while ((await leftOver()) > 0 && performance.now() - faultEndedAt < SETTLE_MS) await sleep(500);
  const settledMs = Math.round(performance.now() - faultEndedAt);
  const [row = {}] = await cluster.query<Record<string, string>>(COUNTS);
  const count = (name: string) => Number(row[name]);
  return {
    kills,
    exits: cluster.exits,
    windows: options.tasks,
    windowsWithOneEndedRun: count('windows_once'),
    runsThatSucceeded: count('succeeded'),
    runsBegunAgain: count('again'),
    deliveries: count('deliveries'),
    deliveriesSent: count('sent'),
    approved: count('approved'),
    endedOnce: count('ended_once'),
    executed: count('executed'),
    actionsResumed: count('resumed'),
    overlaps: overlapsOf(cluster),
    leftOver: await leftOver(),
    settledMs,
  };
}
