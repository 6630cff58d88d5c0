/**
 * What every datasource must keep, whatever its engine: `datasourceContract('sqlite', () => subject)`.
 * The subject brings the plugin, the engine's own SQL for what the checks need, and a way to ask the engine what runs.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AtlasError,
  type DbType,
  datasourceDescribe,
  datasourceExecute,
  datasourceList,
  healthCheck,
  type PluginEntry,
  type SqlLimits,
  type SqlResult,
  type SqlStatement,
  type TableDescription,
} from '../../kernel/index.ts';
import { type RowSink, rowSinks, wereHandedOn } from '../../plugins/datasource-kit/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { memoryPeak } from '../harness/memory.ts';
import { type Check, registerChecks, within } from './kit.ts';

export interface DatasourceSubject {
  readonly connectionId: string;
  readonly dbType: DbType;
  /** The plugin with one connection. `broken`: to a database that cannot be reached. */
  plugin(options: {
    readonly broken?: boolean;
    /** Statements that may run at once, and wait. Default: more than the checks use. */
    readonly maxConcurrent?: number;
    readonly queueLimit?: number;
  }): PluginEntry;
  /** Tables that the statements below read, as the engine names them. */
  readonly tables: readonly string[];
  readonly sql: {
    /** One column `n` with the numbers from 1 to `count`, in order. */
    numbers(count: number): string;
    /**
     * One row: `integer` 42, `big` 9007199254740993, `real` 1.5, `text` 'grün', `nothing` null, `binary` the five
     * bytes "atlas".
     */
    readonly values: string;
    /**
     * One row: `least` -9007199254740991, `below` -9007199254740992, `most` 9007199254740991, `above` 9007199254740992.
     */
    readonly integers: string;
    /** One row, one column `text` of `bytes` ASCII letters. */
    text(bytes: number): string;
    /** Ten million rows of one column `n`. */
    readonly many: string;
    /** One row with the columns `c1` to `c<count>`, which hold their numbers. */
    columns(count: number): string;
    /** Fails at a value of a row, which holds the word "hunter2". */
    readonly badValue: string;
    /** One row, two columns that are both named `a`, 1 and 2. */
    readonly sameNames: string;
    /** One row, one column `x`: the first bound value. */
    readonly parameter: string;
    /** Runs for half a minute or more unless it is stopped. */
    readonly slow: string;
    /** What the engine does not accept. */
    readonly invalid: string;
    /** Statements that would change data, schema, settings or files. */
    readonly writes: readonly string[];
    /** Several statements in one text. */
    readonly stacked: string;
    /** Answers the same as long as nothing was written. */
    readonly state: string;
    /** All columns of a table. Default: `SELECT *` with names in double quotes. */
    read?(table: TableDescription): string;
  };
  /** A table of the database and its columns. */
  readonly described: {
    readonly table: string;
    readonly columns: readonly string[];
    readonly primaryKey: readonly string[];
  };
  /** Its driver hands rows on while they are read, for exports; default: it refuses to. */
  readonly handsRowsOn?: boolean;
  /** Asks the engine, not the plugin, whether it still works on a statement of this subject. */
  isWorking(): Promise<boolean>;
  /** Texts that no message may hold: passwords, folders, hosts. */
  readonly secrets: readonly string[];
}

type Make = () => DatasourceSubject | Promise<DatasourceSubject>;

const LIMITS: SqlLimits = { maxRows: 1_000, maxBytes: 8_388_608, maxCellBytes: 65_536, timeoutMs: 60_000 };
/** The promise is one second; a loaded machine gets more. */
const FREE_WITHIN_MS = 6_000;

/** Statements one after the other, of which none may leave anything open. */
const MANY_STATEMENTS = 40;
/** Handles of one kind that may stay open: the kit itself and the runtime open and close some. */
const OPEN_BESIDES = 8;
/** Tables of one description that are read. */
const READ_TABLES = 25;
const MIB = 1024 * 1024;
/** What this process may grow by for a result that is far larger than its limits; garbage included. */
const OWN_GROWTH_BYTES = 250 * MIB;
/** The same with database processes, which may hold one value whole. */
const TREE_GROWTH_BYTES = 1_200 * MIB;

/** Takes numbers that follow one another, slowly, until it has had enough. */
class HandedRows implements RowSink {
  readonly limits: SqlLimits = { ...LIMITS, maxRows: 100_000_000, maxBytes: 2 ** 40 };
  readonly #most: number;
  columns: readonly string[] = [];
  count = 0;

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  begin(columns: readonly string[]): void {
    this.columns = columns;
  }

  async write(rows: Parameters<RowSink['write']>[0]): Promise<void> {
    await sleep(1);
    const first = Number(rows[0]?.[0]);
    if (this.#most === Number.POSITIVE_INFINITY) {
      assert.deepEqual(
        rows.map(([n]) => n),
        rows.map((_, at) => this.count + at + 1),
      );
    }
    assert.ok(Number.isInteger(first));
    this.count += rows.length;
    if (this.count >= this.#most) throw new AtlasError('Enough.', { code: 'test_enough' });
  }
}

/** One booted subject with what the checks ask of it. */
class Bench {
  readonly subject: DatasourceSubject;
  readonly app: TestApp;

  constructor(subject: DatasourceSubject, app: TestApp) {
    this.subject = subject;
    this.app = app;
  }

  statement(sql: string, more: Partial<SqlStatement> = {}): SqlStatement {
    const connection = { id: this.subject.connectionId, dbType: this.subject.dbType, maskedUrl: '' };
    return { connection, requested: sql, sql, params: [], surface: 'test', tables: this.subject.tables, ...more };
  }

  async run(sql: string, limits: Partial<SqlLimits> = {}, signal?: AbortSignal): Promise<SqlResult> {
    return this.execute(this.statement(sql, { limits: { ...LIMITS, ...limits } }), signal);
  }

  async execute(statement: SqlStatement, signal?: AbortSignal, sink?: RowSink): Promise<SqlResult> {
    const scope = this.app.scope(signal === undefined ? {} : { signal });
    if (sink !== undefined) rowSinks.set(scope, sink);
    return this.app.callKey(datasourceExecute, this.subject.connectionId, statement, scope, 120_000);
  }

  /** Starts the slow statement and waits until the engine is seen at work on it. */
  async slow(signal: AbortSignal): Promise<{ readonly outcome: Promise<unknown> }> {
    const outcome = this.run(this.subject.sql.slow, {}, signal).then(
      () => 'finished',
      (error: unknown) => error,
    );
    await eventually('the slow statement did not start', () => this.subject.isWorking(), 10_000);
    return { outcome };
  }

  async freed(): Promise<void> {
    await eventually('the engine still works on the statement', async () => !(await this.subject.isWorking()));
  }

  /** Takes an error that a person may read: ours, one sentence, nothing secret. */
  readable(error: unknown): AtlasError {
    assert.ok(error instanceof AtlasError, `not an AtlasError: ${String(error)}`);
    assert.match(error.message, /^[A-Z"].*[.!?]$/s, 'the message is not a sentence');
    for (const secret of this.subject.secrets) {
      assert.ok(!`${error.message} ${error.hint ?? ''}`.includes(secret), `the message holds "${secret}"`);
    }
    return error;
  }

  async refused(run: () => Promise<unknown>): Promise<AtlasError> {
    return this.readable(
      await run().then(
        () => assert.fail('it was not refused'),
        (error: unknown) => error,
      ),
    );
  }
}

async function eventually(
  otherwise: string,
  condition: () => Promise<boolean>,
  withinMs: number = FREE_WITHIN_MS,
): Promise<void> {
  const until = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > until) assert.fail(otherwise);
    await sleep(20);
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function readingOf({ sql }: DatasourceSubject, table: TableDescription): string {
  const { schema, name } = table;
  return (
    sql.read?.(table) ??
    `SELECT * FROM ${[schema, name]
      .flatMap((part) => part ?? [])
      .map(quoted)
      .join('.')}`
  );
}

export function datasourceChecks(make: Make): Check[] {
  const check = (
    name: string,
    use: (bench: Bench, sql: DatasourceSubject['sql']) => Promise<void>,
    options: Parameters<DatasourceSubject['plugin']>[0] = {},
  ): Check => ({
    name,
    run: async () => {
      const subject = await make();
      const app = await createTestApp({ plugins: [subject.plugin(options)], drainMs: 200 });
      try {
        await use(new Bench(subject, app), subject.sql);
      } finally {
        await app.close();
      }
    },
  });

  return [
    check('lists its connection with nothing secret in it', async ({ app, subject }) => {
      const listed = (await app.call(datasourceList, undefined, app.scope())).map(({ value }) => value);
      const info = listed.find(({ id }) => id === subject.connectionId);
      assert.ok(info, 'the connection is not listed');
      for (const secret of subject.secrets) assert.ok(!JSON.stringify(info).includes(secret), `it shows "${secret}"`);
    }),
    check('gives rows in order, by column name', async (bench, sql) => {
      const result = await bench.run(sql.numbers(3));
      assert.deepEqual(result.columns, ['n']);
      assert.deepEqual(result.rows, [{ n: 1 }, { n: 2 }, { n: 3 }]);
      assert.equal(result.truncated, false);
      assert.deepEqual(result.notes, []);
    }),
    check('gives an empty result with its columns', async (bench, sql) => {
      const { columnTypes: _, ...result } = await bench.run(sql.numbers(0));
      assert.deepEqual(result, { columns: ['n'], rows: [], truncated: false, notes: [] });
    }),
    check(
      'maps values: safe integers and reals to numbers, larger integers to text, binary to base64',
      async (bench, sql) => {
        const { rows } = await bench.run(sql.values);
        const binary = Buffer.from('atlas').toString('base64');
        assert.deepEqual(rows, [
          { integer: 42, big: '9007199254740993', real: 1.5, text: 'grün', nothing: null, binary },
        ]);
      },
    ),
    check('gives integers as numbers up to the last one that a number holds', async (bench, sql) => {
      const { rows } = await bench.run(sql.integers);
      assert.deepEqual(rows, [
        { least: -9007199254740991, below: '-9007199254740992', most: 9007199254740991, above: '9007199254740992' },
      ]);
    }),
    check('gives 1,600 columns', async (bench, sql) => {
      const { columns, rows } = await bench.run(sql.columns(1_600));
      const names = Array.from({ length: 1_600 }, (_, index) => `c${index + 1}`);
      assert.deepEqual(columns, names);
      assert.deepEqual(
        names.map((name) => rows[0]?.[name]),
        names.map((_, index) => index + 1),
      );
    }),
    check('keeps both of two columns with one name', async (bench, sql) => {
      const { columns, rows } = await bench.run(sql.sameNames);
      assert.equal(new Set(columns).size, 2);
      assert.deepEqual(
        columns.map((name) => rows[0]?.[name]),
        [1, 2],
      );
    }),
    check('binds values', async (bench, sql) => {
      for (const value of [7, "it's; --", null]) {
        const { rows } = await bench.execute(bench.statement(sql.parameter, { params: [value], limits: LIMITS }));
        assert.deepEqual(rows, [{ x: value }]);
      }
    }),
    check('says truncated exactly when there are more rows', async (bench, sql) => {
      for (const [count, maxRows, truncated] of [
        [4, 5, false],
        [5, 5, false],
        [6, 5, true],
        [0, 5, false],
      ] as const) {
        const result = await bench.run(sql.numbers(count), { maxRows });
        assert.equal(result.rows.length, Math.min(count, maxRows));
        assert.equal(result.truncated, truncated, `${count} rows, at most ${maxRows}`);
        assert.equal(result.notes.length > 0, truncated, 'a cut is noted, nothing else is');
      }
    }),
    check('keeps to the byte limit and says so', async (bench, sql) => {
      const result = await bench.run(sql.numbers(500), { maxBytes: 1_000 });
      assert.equal(result.truncated, true);
      assert.ok(result.rows.length > 0 && JSON.stringify(result.rows.map((row) => Object.values(row))).length <= 1_000);
    }),
    check('cuts a long value and says so', async (bench, sql) => {
      const whole = await bench.run(sql.text(100), { maxCellBytes: 100 });
      assert.equal(whole.rows[0]?.text, 'x'.repeat(100));
      assert.equal(whole.truncated, false);
      const cut = await bench.run(sql.text(101), { maxCellBytes: 100 });
      assert.equal(cut.rows[0]?.text, 'x'.repeat(100));
      assert.equal(cut.truncated, true);
      assert.ok(cut.notes.length > 0);
    }),
    check('stops at the limit of ten million rows, in bounded memory', async (bench, sql) => {
      await bench.run(sql.numbers(1));
      const peak = await memoryPeak(async () => {
        const { rows, truncated } = await bench.run(sql.many);
        assert.deepEqual([rows.length, truncated], [LIMITS.maxRows, true]);
      });
      assert.ok(peak.treeBytes < OWN_GROWTH_BYTES, `it took ${Math.round(peak.treeBytes / MIB)} MiB`);
      await bench.freed();
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('hands rows on, whole and in order, or refuses to', async (bench, sql) => {
      const handed = new HandedRows();
      const statement = bench.statement(sql.numbers(900), { limits: handed.limits });
      if (bench.subject.handsRowsOn !== true) {
        const isRefused = await bench.execute(statement, undefined, handed).then(
          (result) => !wereHandedOn(result),
          (error: unknown) => error instanceof AtlasError && error.code === 'not_available',
        );
        assert.ok(isRefused);
        return;
      }
      const result = await bench.execute(statement, undefined, handed);
      assert.deepEqual(
        [wereHandedOn(result), result.rows.length, handed.count, handed.columns],
        [true, 900, 900, ['n']],
      );
      assert.throws(() => result.rows[0], { code: 'sql_refused' });
      // What takes them may be slow, and may stop.
      const some = new HandedRows(100_000);
      const many = bench.statement(sql.many, { limits: some.limits });
      const peak = await memoryPeak(() => assert.rejects(bench.execute(many, undefined, some), /^AtlasError: Enough/));
      assert.ok(some.count >= 100_000 && some.count < 1_000_000, `${some.count} rows`);
      assert.ok(peak.treeBytes < OWN_GROWTH_BYTES, `it took ${Math.round(peak.treeBytes / MIB)} MiB`);
      await bench.freed();
      // Nor is anything cut on the way.
      const short = { ...handed.limits, maxRows: 5 };
      const tooMany = bench.statement(sql.numbers(6), { limits: short });
      await assert.rejects(bench.execute(tooMany, undefined, new HandedRows()), { code: 'sql_failed' });
      const tooLong = bench.statement(sql.text(200_000), { limits: handed.limits });
      await assert.rejects(bench.execute(tooLong, undefined, new HandedRows()), { code: 'sql_failed' });
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('cuts or refuses a value of 100 MB, in bounded memory', async (bench, sql) => {
      await bench.run(sql.numbers(1));
      const peak = await memoryPeak(async () => {
        const outcome = await bench.run(sql.text(100_000_000)).catch((error: unknown) => bench.readable(error));
        if (outcome instanceof AtlasError) assert.equal(outcome.code, 'sql_failed');
        else assert.deepEqual([String(outcome.rows[0]?.text).length, outcome.truncated], [LIMITS.maxCellBytes, true]);
      });
      assert.ok(peak.ownBytes < OWN_GROWTH_BYTES, `the server took ${Math.round(peak.ownBytes / MIB)} MiB`);
      assert.ok(peak.treeBytes < TREE_GROWTH_BYTES, `it took ${Math.round(peak.treeBytes / MIB)} MiB in all`);
      await bench.freed();
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('says nothing of the values at which a statement fails', async (bench, sql) => {
      const error = await bench.refused(() => bench.run(sql.badValue));
      assert.ok(!`${error.message} ${error.hint ?? ''}`.includes('hunter2'), error.message);
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('refuses a null byte', async (bench, sql) => {
      await bench.refused(() => bench.run(`${sql.numbers(1)}\0`));
      await bench.refused(() => bench.run(`${sql.numbers(1)}\0; ${sql.writes[0]}`));
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('changes nothing, whatever it is asked', async (bench, sql) => {
      const before = await bench.run(sql.state);
      for (const write of sql.writes) await bench.refused(() => bench.run(write));
      assert.deepEqual(await bench.run(sql.state), before);
    }),
    check('runs one statement, never several', async (bench, sql) => {
      const before = await bench.run(sql.state);
      await bench.refused(() => bench.run(sql.stacked));
      assert.deepEqual(await bench.run(sql.state), before);
    }),
    check('refuses a statement that was not checked', async (bench, sql) => {
      const { tables, ...unchecked } = bench.statement(sql.numbers(1));
      await bench.refused(() => bench.execute(unchecked));
    }),
    check('says what the engine does not accept, and goes on', async (bench, sql) => {
      await bench.refused(() => bench.run(sql.invalid));
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('stops a statement at its timeout', async (bench, sql) => {
      const error = await within(
        'the timeout',
        5_000,
        bench.refused(() => bench.run(sql.slow, { timeoutMs: 300 })),
      );
      assert.equal(error.code, 'sql_timeout');
      await bench.freed();
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('stops a statement when it is cancelled, while others go on', async (bench, sql) => {
      const cancel = new AbortController();
      const slow = await bench.slow(cancel.signal);
      assert.equal((await within('another statement', 10_000, bench.run(sql.numbers(2)))).rows.length, 2);
      cancel.abort();
      bench.readable(await within('the cancelled statement', FREE_WITHIN_MS, slow.outcome));
      await bench.freed();
      assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
    }),
    check('gives the reason of an abort that is ours', async (bench, sql) => {
      const reason = new AtlasError('The deadline of the request has passed.', { code: 'request_timeout' });
      const error = await bench.refused(() => bench.run(sql.slow, {}, AbortSignal.abort(reason)));
      assert.equal(error.code, 'request_timeout');
      assert.equal(await bench.subject.isWorking(), false);
    }),
    check('reports health at once, with latency, while a statement runs', async (bench) => {
      const cancel = new AbortController();
      const slow = await bench.slow(cancel.signal);
      const health = async () => {
        const asked = Promise.resolve(bench.app.call(healthCheck, undefined, bench.app.scope()));
        const items = await within('health', FREE_WITHIN_MS, asked);
        return items.map(({ value }) => value).find(({ id }) => id === bench.subject.connectionId);
      };
      let item = await health();
      // On a busy machine the database may be late for once.
      if (item?.status !== 'ok') item = await health();
      cancel.abort();
      await slow.outcome;
      assert.equal(item?.component, 'datasource');
      assert.equal(item.status, 'ok');
      assert.ok(typeof item.latencyMs === 'number' && item.latencyMs >= 0);
    }),
    check('describes tables, columns and keys', async ({ app, subject }) => {
      const tables = await app.callKey(datasourceDescribe, subject.connectionId, undefined, app.scope());
      const table = tables.find(({ name }) => name === subject.described.table);
      assert.deepEqual(
        table?.columns.map(({ name }) => name),
        subject.described.columns,
      );
      assert.deepEqual(table?.primaryKey, subject.described.primaryKey);
      assert.ok(table.columns.every(({ type, nullable }) => typeof type === 'string' && typeof nullable === 'boolean'));
    }),
    check('can read every table that it describes, with the columns that it names', async (bench) => {
      const { app, subject } = bench;
      const tables = await app.callKey(datasourceDescribe, subject.connectionId, undefined, app.scope());
      const names = tables.map(({ schema, name }) => `${schema ?? ''}.${name}`);
      assert.equal(new Set(names).size, names.length, 'a table is described twice');
      for (const table of tables.slice(0, READ_TABLES)) {
        const statement = bench.statement(readingOf(subject, table), {
          tables: [...subject.tables, table.name],
          limits: { ...LIMITS, maxRows: 1 },
        });
        const result = await bench.execute(statement).catch((error: unknown) => assert.fail(`${table.name}: ${error}`));
        assert.deepEqual(
          [...result.columns],
          table.columns.map(({ name }) => name),
          table.name,
        );
      }
    }),
    check('leaves nothing open behind a statement', async (bench, sql) => {
      const open = () => Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
      for (let count = 0; count < 5; count += 1) await bench.run(sql.numbers(2));
      const before = open();
      for (let count = 0; count < MANY_STATEMENTS; count += 1) {
        await (count % 2 === 0 ? bench.run(sql.numbers(2)) : bench.refused(() => bench.run(sql.invalid)));
      }
      for (const [kind, now] of open()) {
        const more = now.length - (before.get(kind)?.length ?? 0);
        assert.ok(more < OPEN_BESIDES, `${MANY_STATEMENTS} statements left ${more} more of ${kind} open`);
      }
    }),
    check(
      'refuses what does not fit the queue, with the time to come back',
      async (bench, sql) => {
        const cancel = new AbortController();
        const slow = await bench.slow(cancel.signal);
        const waiting = bench.run(sql.numbers(1));
        waiting.catch(() => {});
        const error = await within(
          'the refusal',
          FREE_WITHIN_MS,
          bench.refused(() => bench.run(sql.numbers(1))),
        );
        assert.equal(error.code, 'overloaded');
        assert.ok((error.retryAfterSeconds ?? 0) > 0, 'it does not say when to come back');
        cancel.abort();
        await slow.outcome;
        assert.equal((await waiting).rows.length, 1, 'what waited was lost');
      },
      { maxConcurrent: 1, queueLimit: 1 },
    ),
    check(
      'serves those who wait in their order',
      async (bench, sql) => {
        const cancel = new AbortController();
        const slow = await bench.slow(cancel.signal);
        const served: number[] = [];
        const waiting = [1, 2, 3, 4].map((count) => bench.run(sql.numbers(count)).then(() => served.push(count)));
        cancel.abort();
        await Promise.all([slow.outcome, ...waiting]);
        assert.deepEqual(served, [1, 2, 3, 4]);
      },
      { maxConcurrent: 1 },
    ),
    check(
      'forgets a statement that is cancelled while it waits',
      async (bench, sql) => {
        const [first, second] = [new AbortController(), new AbortController()];
        const slow = await bench.slow(first.signal);
        const waiting = bench.refused(() => bench.run(sql.slow, {}, second.signal));
        second.abort();
        await within('the cancelled statement', FREE_WITHIN_MS, waiting);
        first.abort();
        await slow.outcome;
        await bench.freed();
        assert.equal((await bench.run(sql.numbers(2))).rows.length, 2);
      },
      { maxConcurrent: 1 },
    ),
    check('closes in time with a statement still running', async (bench) => {
      const slow = await bench.slow(new AbortController().signal);
      await within(
        'closing',
        10_000,
        bench.app.close().catch(() => {}),
      );
      await within('the statement', FREE_WITHIN_MS, slow.outcome);
      await bench.freed();
    }),
    check(
      'stays up without its database, and says so',
      async (bench, sql) => {
        const error = await within(
          'the refusal',
          20_000,
          bench.refused(() => bench.run(sql.numbers(1))),
        );
        assert.equal(error.code, 'datasource_unavailable');
        const items = (await bench.app.call(healthCheck, undefined, bench.app.scope())).map(({ value }) => value);
        const item = items.find(({ id }) => id === bench.subject.connectionId);
        assert.equal(item?.status, 'error');
        for (const secret of bench.subject.secrets) assert.ok(!JSON.stringify(item).includes(secret));
      },
      { broken: true },
    ),
  ];
}

/** Registers the checks as tests. `make` creates a separate subject for each. */
export function datasourceContract(name: string, make: Make): void {
  registerChecks(`datasource contract: ${name}`, datasourceChecks(make));
}
