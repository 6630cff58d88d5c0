/** What the guard and row security add to one statement, by engine, size and policy, and to one seen before. */
import { parseSync } from 'libpg-query';
import type { Actor, ConnectionInfo, SqlStatement, TableDescription } from '../../kernel/index.ts';
import { Descriptions } from '../../plugins/row-security/description.ts';
import { RowSecurity } from '../../plugins/row-security/security.ts';
import type { ModelEntity, SemanticModel } from '../../plugins/semantic-layer/index.ts';
import { StatementGuard } from '../../plugins/sql-guard/index.ts';
import { kitDialect, type SqlDialect } from '../../plugins/sql-kit/index.ts';
import { testScope } from '../harness/create-test-app.ts';
import { type Bench, median, type Row } from './measure.ts';
import { createWorkspace } from './workspace.ts';

const WARM_UP = 2_000;
const CALLS = 800;
const GUARD = {
  functions: [],
  maxTextLength: 100_000,
  maxTokens: 20_000,
  cacheStatements: 250,
};
const SECURITY = {
  column: 'tenant',
  claim: 'tenant',
  exempt: [],
  policies: [],
  unmaskRoles: [],
  describeEveryMs: 1e9,
  recheckMs: 1e9,
};
const actor: Actor = { id: 'bench', label: null, role: 'analyst', mode: 'test', claims: { tenant: 'acme' } };

/** What one engine calls things; microseconds allowed for each statement. */
interface Engine {
  readonly dbType: 'postgres' | 'sqlite' | 'duckdb' | 'mysql';
  readonly month: (column: string) => string;
  readonly halfAYearAgo: string;
  readonly targets: Readonly<Record<keyof Statements, number>>;
}

const OTHERS = { simple: 120, joins: 390, windows: 600 };
const engines: readonly Engine[] = [
  {
    dbType: 'postgres',
    month: (column) => `to_char(${column}, 'YYYY-MM')`,
    halfAYearAgo: "DATE '2024-06-30' - INTERVAL '6 months'",
    targets: { simple: 40, joins: 130, windows: 200 },
  },
  {
    dbType: 'sqlite',
    month: (column) => `strftime('%Y-%m', ${column})`,
    halfAYearAgo: "date('2024-06-30', '-6 months')",
    targets: OTHERS,
  },
  {
    dbType: 'duckdb',
    month: (column) => `strftime(${column}, '%Y-%m')`,
    halfAYearAgo: "DATE '2024-06-30' - INTERVAL 6 MONTH",
    targets: OTHERS,
  },
  {
    dbType: 'mysql',
    month: (column) => `DATE_FORMAT(${column}, '%Y-%m')`,
    halfAYearAgo: "DATE '2024-06-30' - INTERVAL 6 MONTH",
    targets: OTHERS,
  },
];

/** Statements over the first entities of the model; `n` makes a text one that was never seen. */
interface Statements {
  readonly simple: (n: number) => string;
  readonly joins: (n: number) => string;
  readonly windows: (n: number) => string;
}

const NAMES: Readonly<Record<keyof Statements, string>> = {
  simple: 'a simple statement',
  joins: 'three joins',
  windows: 'CTEs with windows',
};

function statementsOf(model: SemanticModel, { month, halfAYearAgo }: Engine): Statements {
  const [a, b] = model.entities;
  if (a === undefined || b === undefined) throw new Error('The generated layer is empty.');
  return {
    simple: (n) =>
      `SELECT status, COUNT(*) AS n FROM ${a.table} WHERE id > ${n} AND status <> 'closed' GROUP BY status ORDER BY n DESC LIMIT 20`,
    joins: (n) => `
    SELECT t3.status AS status, ${month('t0.created_at')} AS month, COUNT(DISTINCT t1.id) AS parents,
           SUM(CASE WHEN t2.status = 'open' THEN 1 ELSE 0 END) AS open_ones,
           ROUND(AVG(COALESCE(t0.id, 0) * 1.0 / NULLIF(t1.id, 0)), 2) AS ratio
    FROM ${a.table} AS t0
    ${chainOfJoins(model, a).join('\n    ')}
    WHERE t0.created_at >= ${halfAYearAgo} AND t1.status IN ('open', 'pending') AND t2.id > ${n}
    GROUP BY t3.status, month
    HAVING COUNT(*) > 5
    ORDER BY month, open_ones DESC
    LIMIT 100`,
    windows: (n) => `
    WITH monthly AS (
      SELECT ${month('created_at')} AS month, status, COUNT(*) AS n
      FROM ${a.table}
      WHERE created_at BETWEEN '2023-01-01' AND '2024-12-31' AND id > ${n}
      GROUP BY month, status
    ), peers AS (
      SELECT ${month('created_at')} AS month, COUNT(*) AS n FROM ${b.table} GROUP BY month
    ), ranked AS (
      SELECT month, status, n,
             RANK() OVER (PARTITION BY month ORDER BY n DESC) AS place,
             LAG(n) OVER (PARTITION BY status ORDER BY month) AS before_it,
             SUM(n) OVER (PARTITION BY status ORDER BY month ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
      FROM monthly
    )
    SELECT r.month, r.status, r.n, r.total, o.n AS compared,
           ROUND(100.0 * (r.n - r.before_it) / NULLIF(r.before_it, 0), 1) AS growth
    FROM ranked AS r
    LEFT JOIN peers AS o ON o.month = r.month
    WHERE r.place <= 3 AND EXISTS (SELECT 1 FROM ${b.table} AS x WHERE x.status = r.status)
    ORDER BY r.month DESC, r.place
    LIMIT 200`,
  };
}

function chainOfJoins(model: SemanticModel, first: ModelEntity): string[] {
  const chain = [first];
  return [0, 1, 2].map((index) => {
    const [join] = chain[index]?.joins ?? [];
    const target = model.entity(join?.target ?? '');
    const [on] = join?.on ?? [];
    if (target === undefined || on === undefined) throw new Error('The generated layer has no chain of joins.');
    chain.push(target);
    return `JOIN ${target.table} AS t${index + 1} ON t${index}.${on.from} = t${index + 1}.${on.to}`;
  });
}

/** The same layer with a masked and a hidden column in every table. */
const withMasks = (model: SemanticModel): SemanticModel => ({
  ...model,
  entities: model.entities.map((entity) => ({
    ...entity,
    dimensions: entity.dimensions.map((dimension) =>
      dimension.name === 'code'
        ? { ...dimension, mask: "'***'" }
        : dimension.name.endsWith('_score') || dimension.name.endsWith('_level')
          ? { ...dimension, hidden: true }
          : dimension,
    ),
  })),
});

/** What the database would say of the layer's tables: all that is declared, and the tenant. */
const described = (model: SemanticModel): TableDescription[] =>
  model.entities.map(({ table, dimensions }) => ({
    name: table,
    kind: 'table',
    columns: ['tenant', ...dimensions.map(({ name }) => name)].map((name) => ({ name, type: 'text', nullable: true })),
    primaryKey: ['id'],
    foreignKeys: [],
  }));

/** Guard and, where there is a policy, row security, as they stand behind the hooks. */
class Protection {
  private readonly guard = new StatementGuard(GUARD, () => {});
  private readonly security: RowSecurity | undefined;
  private readonly model: SemanticModel;
  private readonly connection: ConnectionInfo;
  private readonly dialect: SqlDialect;

  constructor(model: SemanticModel, dialect: SqlDialect, hasPolicy: boolean) {
    const dbType = dialect.name;
    this.model = model;
    this.connection = { id: 'default', dbType, maskedUrl: `${dbType}://localhost/company` };
    this.dialect = dialect;
    const describe = async () => described(model);
    const descriptions = new Descriptions({ ...SECURITY, describe, now: () => 0, warn: () => {} });
    this.security = hasPolicy ? new RowSecurity(SECURITY, descriptions, () => {}) : undefined;
  }

  /** Microseconds of each call: admitted, then verified against what was admitted, as any statement that runs. */
  async times(textOf: (n: number) => string, calls = CALLS): Promise<number[]> {
    const { connection } = this;
    await this.security?.restrict(
      { connection, tables: await this.guard.allowed(this.model, connection, this.dialect, true) },
      actor,
    );
    const times: number[] = [];
    for (let n = 0; n < calls; n += 1) {
      const sql = textOf(n);
      const statement: SqlStatement = { connection, requested: sql, sql, params: [], surface: 'api' };
      const scope = testScope({ actor });
      const startedAt = performance.now();
      let access = { connection, tables: await this.guard.allowed(this.model, connection, this.dialect, true) };
      const narrowed = this.security?.restrict(access, actor);
      if (narrowed instanceof Promise) throw new Error('The database has not described itself.');
      access = narrowed ?? access;
      this.guard.verify(this.guard.admit(statement, access.tables, scope), scope);
      times.push((performance.now() - startedAt) * 1000);
    }
    return times;
  }
}

/** Median microseconds of reading alone, which no guard that asks the server's own parser can do without. */
function parserTime(textOf: (n: number) => string): number {
  const times = Array.from({ length: WARM_UP + CALLS }, (_, n) => {
    const sql = textOf(n);
    const startedAt = performance.now();
    parseSync(sql);
    return (performance.now() - startedAt) * 1000;
  });
  return median(times.slice(WARM_UP));
}

export const guard: Bench = async () => {
  using workspace = await createWorkspace(50);
  using large = await createWorkspace(2_000);
  const { model } = workspace;
  const protections = [
    { what: 'no policy', model, hasPolicy: false },
    { what: 'a row policy', model, hasPolicy: true },
    { what: 'a row policy and masks', model: withMasks(model), hasPolicy: true },
  ];
  const rows: Row[] = [];
  for (const engine of engines) {
    const { dbType } = engine;
    const dialect = await kitDialect(dbType);
    await dialect.load?.();
    const statements = Object.entries(statementsOf(model, engine)) as [keyof Statements, Statements['simple']][];
    if (dbType === 'postgres') {
      for (const [kind, textOf] of statements) {
        rows.push({
          what: `postgres, the server's parser alone: ${NAMES[kind]}`,
          value: parserTime(textOf),
          unit: 'µs',
        });
      }
    }
    // So that all of it is compiled, as on a server that has been up for a while.
    for (const { model, hasPolicy } of protections) {
      for (const [, textOf] of statements) await new Protection(model, dialect, hasPolicy).times(textOf, WARM_UP);
    }
    for (const { what, model, hasPolicy } of protections) {
      const repeated: number[] = [];
      for (const [kind, textOf] of statements) {
        const create = () => new Protection(model, dialect, hasPolicy);
        const value = median(await create().times(textOf));
        rows.push({ what: `${dbType}, ${what}: ${NAMES[kind]}`, value, unit: 'µs', target: engine.targets[kind] });
        repeated.push(median(await create().times(() => textOf(0))));
      }
      rows.push({
        what: `${dbType}, ${what}: the slowest repeat`,
        value: Math.max(...repeated),
        unit: 'µs',
        target: 10,
      });
    }
  }
  const [engine] = engines.filter(({ dbType }) => dbType === 'sqlite') as [Engine];
  const [first = 0] = await new Protection(large.model, await kitDialect(engine.dbType), false).times(
    statementsOf(large.model, engine).simple,
    1,
  );
  rows.push({ what: 'the first statement of a layer of 2,000 entities', value: first / 1000, unit: 'ms' });
  return rows;
};
