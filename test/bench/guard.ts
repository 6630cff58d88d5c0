/** What the guard adds to one statement, by the statement's size, and to one that it has seen before. */
import type { ConnectionInfo, SqlStatement } from '../../kernel/index.ts';
import type { ModelEntity, SemanticModel } from '../../plugins/semantic-layer/model.ts';
import { StatementGuard } from '../../plugins/sql-guard/guard.ts';
import { testScope } from '../harness/create-test-app.ts';
import { type Bench, median, type Row } from './measure.ts';
import { createWorkspace } from './workspace.ts';

const CALLS = 3_000;
const OPTIONS = { functions: [], maxTextLength: 100_000, maxTokens: 20_000, cacheStatements: 250 };

/** A statement over the first entities of the model; `n` makes its text one that was never seen. */
type Statement = (n: number) => string;

function simple(a: ModelEntity): Statement {
  return (n) =>
    `SELECT status, COUNT(*) AS n FROM ${a.table} WHERE id > ${n} AND status <> 'closed' GROUP BY status ORDER BY n DESC LIMIT 20`;
}

function threeJoins(model: SemanticModel, a: ModelEntity): Statement {
  const chain = [a];
  const steps = [0, 1, 2].map((index) => {
    const [join] = chain[index]?.joins ?? [];
    const target = model.entity(join?.target ?? '');
    const [on] = join?.on ?? [];
    if (target === undefined || on === undefined) throw new Error('The generated layer has no chain of joins.');
    chain.push(target);
    return `JOIN ${target.table} AS t${index + 1} ON t${index}.${on.from} = t${index + 1}.${on.to}`;
  });
  return (n) => `
    SELECT t3.status AS status, strftime('%Y-%m', t0.created_at) AS month, COUNT(DISTINCT t1.id) AS parents,
           SUM(CASE WHEN t2.status = 'open' THEN 1 ELSE 0 END) AS open_ones,
           ROUND(AVG(COALESCE(t0.id, 0) * 1.0 / NULLIF(t1.id, 0)), 2) AS ratio
    FROM ${a.table} AS t0
    ${steps.join('\n    ')}
    WHERE t0.created_at >= date('2024-06-30', '-6 months') AND t1.status IN ('open', 'pending') AND t2.id > ${n}
    GROUP BY t3.status, month
    HAVING COUNT(*) > 5
    ORDER BY month, open_ones DESC
    LIMIT 100`;
}

function windows(a: ModelEntity, b: ModelEntity): Statement {
  return (n) => `
    WITH monthly AS (
      SELECT strftime('%Y-%m', created_at) AS month, status, COUNT(*) AS n
      FROM ${a.table}
      WHERE created_at BETWEEN '2023-01-01' AND '2024-12-31' AND id > ${n}
      GROUP BY month, status
    ), others AS (
      SELECT strftime('%Y-%m', created_at) AS month, COUNT(*) AS n FROM ${b.table} GROUP BY month
    ), ranked AS (
      SELECT month, status, n,
             RANK() OVER (PARTITION BY month ORDER BY n DESC) AS place,
             LAG(n) OVER (PARTITION BY status ORDER BY month) AS before,
             SUM(n) OVER (PARTITION BY status ORDER BY month ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
      FROM monthly
    )
    SELECT r.month, r.status, r.n, r.total, o.n AS compared,
           ROUND(100.0 * (r.n - r.before) / NULLIF(r.before, 0), 1) AS change
    FROM ranked AS r
    LEFT JOIN others AS o ON o.month = r.month
    WHERE r.place <= 3 AND EXISTS (SELECT 1 FROM ${b.table} AS x WHERE x.status = r.status)
    ORDER BY r.month DESC, r.place
    LIMIT 200`;
}

const connection: ConnectionInfo = { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:company.db' };

/** Microseconds of each call: admitted, then verified against what was admitted, as any statement that runs. */
function timesOf(guard: StatementGuard, model: SemanticModel, textOf: Statement, calls = CALLS): number[] {
  const times: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const sql = textOf(n);
    const statement: SqlStatement = { connection, requested: sql, sql, params: [], surface: 'api' };
    const scope = testScope();
    const startedAt = performance.now();
    const tables = guard.allowed(model, connection, true);
    guard.verify(guard.admit(statement, tables, scope), scope);
    times.push((performance.now() - startedAt) * 1000);
  }
  return times;
}

export const guard: Bench = async () => {
  using workspace = await createWorkspace(50);
  using large = await createWorkspace(2_000);
  const { model } = workspace;
  const [a, b] = model.entities;
  if (a === undefined || b === undefined) throw new Error('The generated layer is empty.');
  const create = () => new StatementGuard(OPTIONS, () => {});
  const statements: readonly { what: string; textOf: Statement; target: number }[] = [
    { what: 'a simple statement', textOf: simple(a), target: 120 },
    { what: 'three joins', textOf: threeJoins(model, a), target: 390 },
    { what: 'CTEs with windows', textOf: windows(a, b), target: 600 },
  ];
  const rows: Row[] = [];
  for (const { what, textOf, target } of statements) {
    const [first = 0, ...rest] = timesOf(create(), model, textOf);
    rows.push({ what: `${what}, median`, value: median(rest), unit: 'µs', target });
    rows.push({ what: `${what}, the first of a process or a layer`, value: first, unit: 'µs' });
  }
  for (const { what, textOf } of statements) {
    const repeated = timesOf(create(), model, () => textOf(0));
    rows.push({ what: `${what}, repeated, median`, value: median(repeated), unit: 'µs', target: 10 });
  }
  const [first = 0] = timesOf(create(), large.model, simple(large.model.entities[0]!), 1);
  rows.push({ what: 'the first statement of a layer of 2,000 entities', value: first / 1000, unit: 'ms' });
  return rows;
};
