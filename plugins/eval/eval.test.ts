/** Tests `atlas eval` as users run it: over the demo with the offline model, and over a scripted provider. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { main } from '../../bin/main.ts';
import { emptyFolder, type Finished } from '../../test/harness/command.ts';
import { atlasHere as atlas } from '../../test/harness/command-here.ts';
import { blocksOf } from '../../test/harness/doc-blocks.ts';
import { type RecordedRequest, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { withoutContext } from '../agent/index.ts';
import { DEMOS, loadDemo } from '../demo-data/index.ts';

const DEMO_CASES = `cases:
  - id: cancelled
    question: How many orders were cancelled in 2025?
    sql: SELECT COUNT(*) FROM orders WHERE status = 'cancelled' AND ordered_at >= '2025-01-01' AND ordered_at < '2026-01-01'
    category: counts
    difficulty: simple
    tags: [orders]
  - id: by-region
    question: What was the revenue by region in 2025?
    sql:
      - SELECT 'no', 1
      - SELECT c.region, SUM(i.line_total) FROM order_items i JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id WHERE o.ordered_at >= '2025-01-01' AND o.ordered_at < '2026-01-01' GROUP BY c.region
    category: joins
    difficulty: medium
  - id: wrong-gold
    question: How many customers do we have?
    sql: SELECT 1
    category: counts
    difficulty: simple
  - id: broken-gold
    question: How many customers do we have?
    sql: SELECT nothing FROM customers
    category: counts
    difficulty: complex
  - id: unreadable
    question: Why do flamingos sleep on one leg?
    sql: SELECT 1
    category: other
    difficulty: complex
  - id: ambiguous
    question: Total orders?
    category: other
    difficulty: simple
    clarify: true
`;

interface Report {
  readonly summary: Record<string, number> & { readonly byCategory: object; readonly tokens: { input: number } };
  readonly cases: readonly { readonly id: string; readonly status: string; readonly reason: string | null }[];
}

/** The command line without a process of its own, which would take most of the time. */
async function inProcess(
  argv: readonly string[],
  cwd: string,
  { env = {}, signal = new AbortController().signal }: { env?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        written[name] += chunk;
        done();
      },
    });
  const code = await main(argv, { env, cwd, stdout: stream('stdout'), stderr: stream('stderr'), signal });
  return { code, ...written };
}

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = emptyFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const read = (path: string) => readFileSync(join(folder.path, path), 'utf8');
  const run = (...args: readonly string[]) => inProcess(['eval', ...args], folder.path);
  return { path: folder.path, write, read, run, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const statuses = (stdout: string) =>
  Object.fromEntries((JSON.parse(stdout) as Report).cases.map(({ id, status }) => [id, status]));

describe('over the demo', () => {
  it('tells passed, failed, refused and cases that cannot be judged apart', async () => {
    using folder = folderWith({ 'eval/cases/simple.yml': DEMO_CASES });
    const { code, stdout, stderr } = await folder.run('--json', '--baseline');
    expect(code, stderr).toBe(0);
    expect(statuses(stdout)).toEqual({
      cancelled: 'passed',
      'by-region': 'passed',
      'wrong-gold': 'failed',
      'broken-gold': 'error',
      unreadable: 'refused',
      ambiguous: 'passed',
    });
    const { summary, cases } = JSON.parse(stdout) as Report;
    expect(summary).toMatchObject({ total: 6, passed: 3, failed: 1, refused: 1, error: 1, accuracy: 0.5 });
    expect(summary.byCategory).toMatchObject({ counts: { total: 3, passed: 1 }, joins: { total: 1, passed: 1 } });
    expect(summary).not.toHaveProperty('cost');
    expect(cases.find(({ id }) => id === 'cancelled')?.reason).toBeNull();
    expect(cases.find(({ id }) => id === 'wrong-gold')?.reason).toMatch(
      /^No column of the answer has the values of "1"/,
    );
    expect(cases.find(({ id }) => id === 'broken-gold')?.reason).toMatch(/^The expected statement does not run: /);
    expect(stderr).toBe('');

    const table = await folder.run('--difficulty', 'medium');
    expect(table.stdout).toContain('1 of 1 passed (100.0 %)');
    expect(table.stdout).not.toContain('Cost');
    const csv = await folder.run('--csv', '--category', 'joins');
    expect(csv.stdout.split('\n')[0]).toContain('id,status,reason,schema,category');
    expect(csv.stdout).toContain('by-region,passed,');

    // A regression is planted by a gold statement that is not right any more.
    const same = await folder.run('--compare', 'eval/baseline.jsonl');
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('No change against the earlier run.') });
    folder.write('eval/cases/simple.yml', DEMO_CASES.replace("status = 'cancelled'", "status = 'shipped'"));
    const worse = await folder.run('--compare', 'eval/baseline.jsonl', '--json');
    expect(worse).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Regression: passed before and not now: cancelled.'),
    });
    expect(statuses(worse.stdout).cancelled).toBe('failed');
    folder.write('eval/cases/simple.yml', DEMO_CASES.replace('id: cancelled', 'id: renamed'));
    const gone = await folder.run('--compare', 'eval/baseline.jsonl', '--id', 'by-region');
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no case in eval/cases any more: cancelled.'),
    });
  });

  it('runs the cases of the documentation', async () => {
    const [example] = blocksOf('docs/evaluation.md').filter(({ language }) => language === 'yaml');
    using folder = folderWith({ 'eval/cases/shop.yml': example?.text ?? '' });
    const { code, stdout, stderr } = await folder.run('--json');
    expect(code, stderr).toBe(0);
    expect(statuses(stdout)).toEqual({
      'cancelled-2025': 'passed',
      'top-customers': 'passed',
      'total-orders': 'passed',
    });
  });

  it('goes on where a run was cut', async () => {
    using folder = folderWith({ 'eval/cases/simple.yml': DEMO_CASES });
    await folder.run('--resume', 'run.jsonl', '--limit', '2');
    expect(folder.read('run.jsonl').trim().split('\n')).toHaveLength(2);
    appendFileSync(join(folder.path, 'run.jsonl'), '{"id":"wrong-gold","sta');
    const { stdout, stderr } = await folder.run('--resume', 'run.jsonl', '--json', '--limit', '3');
    expect(stderr).toBe('');
    expect(statuses(stdout)).toEqual({ cancelled: 'passed', 'by-region': 'passed', 'wrong-gold': 'failed' });
    const lines = folder.read('run.jsonl').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['cancelled', 'by-region', 'wrong-gold']);
    // A changed case is asked again.
    folder.write('eval/cases/simple.yml', DEMO_CASES.replace('orders were cancelled', 'orders were shipped'));
    await folder.run('--resume', 'run.jsonl', '--limit', '3');
    const added = folder.read('run.jsonl').trim().split('\n').slice(3);
    expect(added.map((line) => JSON.parse(line))).toMatchObject([{ id: 'cancelled', status: 'failed' }]);
  });
});

it('compares on PostgreSQL, whose dates and decimals come in other forms', async () => {
  using folder = folderWith({
    'eval/cases/shop.yml': `cases:
  - id: by-month
    question: Orders by month in 2025
    sql:
      - SELECT to_char(ordered_at, 'YYYY-MM'), COUNT(*)::numeric(12, 2) FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at < '2026-01-01' GROUP BY 1 ORDER BY 1
  - id: top-customers
    question: Top 5 customers by revenue
    sql: SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id GROUP BY c.id, c.name ORDER BY SUM(i.line_total) DESC LIMIT 5
`,
  });
  const server = await startPostgres();
  try {
    await loadDemo('simple', { url: server.url });
    const env = { SVC_DATASOURCE_URL: server.url, SVC_SEMANTIC_DIR: DEMOS.simple.layer };
    const { code, stdout, stderr } = await inProcess(['eval', '--json'], folder.path, { env });
    expect(code, stderr).toBe(0);
    expect(statuses(stdout), stdout).toEqual({ 'by-month': 'passed', 'top-customers': 'passed' });
  } finally {
    await server.stop();
  }
});

describe('wrong use', () => {
  it('names every fault of the case files with its place', async () => {
    using folder = folderWith({
      'eval/cases/a.yml': 'cases:\n  - id: one\n    question: Q\n    sql: SELECT 1\n    dificulty: simple\n',
      'eval/cases/b.yml': 'cases:\n  - id: two\n   question: Q\n',
      'eval/cases/c.yml': 'cases:\n  - {id: three, question: Q, sql: SELECT 1}\n  - {id: three, question: R}\n',
    });
    const { code, stdout, stderr } = await folder.run();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('eval/cases/a.yml:5:5: Unknown key `dificulty`');
    expect(stderr).toMatch(/eval\/cases\/b\.yml:3:\d+: /);
    expect(stderr).toContain('eval/cases/c.yml:3:10: The id "three" is taken, in eval/cases/c.yml:2; choose another.');
    expect(stderr).toContain('eval/cases/c.yml:3:10: The case "three" has neither `sql` nor `clarify: true`');
  });

  it.each([
    [['--json', '--csv'], 'exclude each other'],
    [['--difficulty', 'hard'], '--difficulty is invalid: expected simple, medium or complex'],
    [['--limit', '0'], '--limit is invalid'],
    [['--category', 'join'], 'No case has the category "join"; did you mean `joins`?'],
    [['--id', 'nothing-like-it'], 'No case has the id "nothing-like-it".'],
    [['--compare', 'gone.jsonl'], 'gone.jsonl cannot be read: there is no such file.'],
    [['--replay', 'gone'], 'There is no folder of recordings gone.'],
    [['--record', 'a', '--replay', 'b'], 'exclude each other'],
    [['--repeat', '3', '--replay', 'b'], 'exclude each other'],
    [['--repeat', '1'], '--repeat is invalid'],
  ])('%j', async (args, message) => {
    using folder = folderWith({ 'eval/cases/simple.yml': DEMO_CASES });
    const { code, stdout, stderr } = await folder.run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('says what is missing without cases, and without data', async () => {
    using empty = folderWith({});
    expect((await empty.run()).stderr).toContain('There are no cases in eval/cases.');
    using folder = folderWith({ 'eval/cases/shop.yml': DEMO_CASES });
    expect(await folder.run()).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no demo "shop"') });
  });
});

describe('with a provider', () => {
  /** Runs the statement in the question, then answers. */
  function respond({ question: sent, toolResults }: RecordedRequest): Step {
    const question = withoutContext(sent);
    if (question.includes('fail')) return { status: 400, body: { error: { message: 'No.', type: 'bad_request' } } };
    const usage = { input: 100, output: 10 };
    if (toolResults.length > 0) return { text: 'See the rows.', usage };
    return { toolCall: { name: 'executeSQL', args: { sql: question.replace('Run ', '') } }, usage };
  }

  const CASES = `cases:
  - {id: ordered, question: 'Run SELECT id FROM orders ORDER BY id DESC LIMIT 3', sql: SELECT id FROM orders ORDER BY id DESC LIMIT 3}
  - {id: wrong-order, question: 'Run SELECT id FROM orders WHERE id < 4 ORDER BY id', sql: SELECT id FROM orders WHERE id < 4 ORDER BY id DESC}
  - {id: any-order, question: 'Run SELECT id FROM orders WHERE id < 4 ORDER BY id DESC', sql: SELECT id FROM orders WHERE id < 4}
  - {id: failing, question: 'fail', sql: SELECT 1}
`;

  it('records and plays back: the same bytes, without the provider', async () => {
    using folder = folderWith({ 'eval/cases/simple.yml': CASES });
    const server = await startOpenAIServer({ respond });
    const env = {
      SVC_PROVIDER: 'openai',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: server.url,
      SVC_MODEL: 'gpt-6',
      SVC_MODEL_PRICES: '{"gpt-6": {"input": 1, "output": 10}}',
    };
    const args = ['eval', '--json'];
    const recorded = await atlas([...args, '--record', 'kept'], { cwd: folder.path, env });
    const asked = server.requests.length;
    await server.close();
    expect(recorded.code, recorded.stderr).toBe(0);
    expect(statuses(recorded.stdout)).toEqual({
      ordered: 'passed',
      'wrong-order': 'failed',
      'any-order': 'passed',
      failing: 'error',
    });
    const { summary, cases } = JSON.parse(recorded.stdout) as Report;
    expect(cases.find(({ id }) => id === 'wrong-order')?.reason).toContain(
      'not in the order of the expected statement',
    );
    expect(summary).toMatchObject({ tokens: { input: 600, output: 60 }, cost: 0.0012, models: ['openai/gpt-6'] });
    expect(asked).toBeGreaterThan(6);

    const prices = { SVC_MODEL_PRICES: env.SVC_MODEL_PRICES };
    const played = await atlas([...args, '--replay', 'kept'], { cwd: folder.path, env: prices });
    expect(played.stdout).toBe(recorded.stdout);
    expect(folder.read('kept/ordered.jsonl')).not.toContain('sk-test');

    folder.write('eval/cases/simple.yml', CASES.replaceAll('id < 4', 'id < 5'));
    const changed = await atlas([...args, '--replay', 'kept', '--id', 'any-order'], { cwd: folder.path, env: prices });
    expect(changed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('There is no recording of this call of the model'),
    });
    rmSync(join(folder.path, 'kept/any-order.jsonl'));
    const missing = await atlas([...args, '--replay', 'kept'], { cwd: folder.path });
    expect(missing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('kept has no recording of "any-order".'),
    });
  });

  it('hard cases become right by several statements, which easy ones do not cost', async () => {
    const gold = (where: string) => `SELECT COUNT(*) FROM orders WHERE ${where}`;
    const cases = `cases:
  - {id: misspelt, question: 'How many are cancelled?', sql: "${gold("status = 'cancelled'")}"}
  - {id: miscased, question: 'How many came by the web?', sql: "${gold("channel = 'web'")}"}
  - {id: easy, question: 'How many are there?', sql: SELECT COUNT(*) FROM orders}
`;
    /** The first statement of a question, what the model makes of its failure, and others that it writes for it. */
    const written: Readonly<Record<string, readonly [first: string, next: string, ...others: string[]]>> = {
      cancelled: ["stauts = 'cancelled'", '1 = 1', "status = 'cancelled'", "status IN ('cancelled')"],
      web: ["LOWER(channel) = 'WEB'", "LOWER(channel) = 'WEB'", "channel LIKE 'we_'", "channel = 'web'"],
      there: ['1 = 1', '1 = 1', '1 = 0', '1 = 0'],
    };
    const asked = new Map<string, number>();
    const respondHard = ({ question: sent, toolResults, body, text }: RecordedRequest): Step => {
      const usage = { input: 100, output: 10 };
      const [name = ''] = Object.keys(written).filter((one) => withoutContext(sent).includes(one));
      const run = (where = '') => ({ toolCall: { name: 'executeSQL', args: { sql: gold(where) } }, usage });
      if ((body as { temperature?: number }).temperature !== undefined) {
        asked.set(name, (asked.get(name) ?? 1) + 1);
        return run(written[name]?.[asked.get(name) ?? 0]);
      }
      if (toolResults.length === 0) return run(written[name]?.[0]);
      const isDone =
        toolResults.length > 1 ||
        !/error/.test(toolResults[0] ?? '') ||
        text.includes('statements for the question agree');
      return isDone ? { text: 'See the rows.', usage } : run(written[name]?.[1]);
    };
    using folder = folderWith({ 'eval/cases/simple.yml': cases });
    const server = await startOpenAIServer({ respond: respondHard });
    const env = {
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: server.url,
      SVC_MODEL: 'gpt-6',
    };
    const several = { SVC_CANDIDATES: '3' };
    const off = await atlas(['eval', '--json', '--record', 'off'], { cwd: folder.path, env });
    const on = await atlas(['eval', '--json', '--record', 'on'], { cwd: folder.path, env: { ...env, ...several } });
    await server.close();
    expect(statuses(off.stdout), off.stderr).toEqual({ misspelt: 'failed', miscased: 'failed', easy: 'passed' });
    expect(statuses(on.stdout), on.stderr).toEqual({ misspelt: 'passed', miscased: 'passed', easy: 'passed' });
    const casesOf = (stdout: string) => (JSON.parse(stdout) as { cases: Record<string, unknown>[] }).cases;
    expect(casesOf(on.stdout).map(({ steps, inputTokens }) => [steps, inputTokens])).toEqual([
      [4, 400],
      [4, 400],
      [2, 200],
    ]);
    expect(JSON.stringify(casesOf(on.stdout)[0]?.notes)).toContain('Chosen among 3 candidates, 2 of which agree');
    // What an easy question sends is the same, so its recording serves both.
    const sentOf = (path: string) => [...folder.read(path).matchAll(/^\{"key":"(\w+)"/gm)].map(([, key]) => key);
    expect(sentOf('on/easy.jsonl')).toEqual(sentOf('off/easy.jsonl'));
    expect(sentOf('on/easy.jsonl').length).toBeGreaterThan(2);
    const played = await atlas(['eval', '--json', '--replay', 'on'], { cwd: folder.path, env: several });
    expect(played.stdout).toBe(on.stdout);
  });

  it('asks several times, and tells how far the results agree', async () => {
    const cases = `cases:
  - {id: same, question: 'Which are same?', sql: SELECT id FROM orders WHERE id < 3}
  - {id: mixed, question: 'Which are mixed?', sql: SELECT id FROM orders WHERE id < 3}
  - {id: broken, question: 'Which are broken?', sql: SELECT 1}
`;
    /** What the model writes at each asking: with the rows in another order, with a further column, and other rows. */
    const written: Readonly<Record<string, readonly string[]>> = {
      same: ['id FROM orders WHERE id < 3', 'id FROM orders WHERE id < 3 ORDER BY id DESC'],
      mixed: ['id, status FROM orders WHERE id < 3', 'id FROM orders WHERE id < 4', 'id FROM orders WHERE id < 3', ''],
      broken: ['1'],
    };
    const asked = new Map<string, number>();
    const server = await startOpenAIServer({
      respond: ({ question: sent, toolResults }) => {
        const usage = { input: 100, output: 10 };
        const [name = ''] = Object.keys(written).filter((one) => withoutContext(sent).includes(one));
        if (toolResults.length > 0) return { text: 'See the rows.', usage };
        const time = asked.get(name) ?? 0;
        asked.set(name, time + 1);
        if (name === 'broken' && time > 0) return { status: 400, body: { error: { message: 'No.' } } };
        const sql = written[name]?.[time % (written[name]?.length ?? 1)];
        return sql === '' ? { text: 'There is no answer.', usage } : { ...callSelect(sql), usage };
      },
    });
    const callSelect = (sql = '') => ({ toolCall: { name: 'executeSQL', args: { sql: `SELECT ${sql}` } } });
    using folder = folderWith({ 'eval/cases/simple.yml': cases });
    const env = { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: server.url, SVC_MODEL: 'gpt-6' };
    const run = (...args: string[]) => inProcess(['eval', '--repeat', '4', ...args], folder.path, { env });
    const json = await run('--json', '--resume', 'run.jsonl');
    expect(json.code, json.stderr).toBe(0);
    const { summary, cases: results } = JSON.parse(json.stdout);
    expect(statuses(json.stdout)).toEqual({ same: 'passed', mixed: 'passed', broken: 'error' });
    expect(results.map(({ repeated }: { repeated: object }) => repeated)).toEqual([
      { askings: 4, agreeing: 4, passed: 4 },
      { askings: 4, agreeing: 2, passed: 2 },
      undefined,
    ]);
    expect(summary.stability).toEqual({
      ...{ askings: 4, cases: 2, stable: 1, stableShare: 0.5, agreement: 0.75, accuracy: 0.75 },
    });
    expect(results[0]).toMatchObject({ inputTokens: 800, outputTokens: 80 });
    // What has a result of as many askings is not asked again.
    const requests = server.requests.length;
    const again = await run('--resume', 'run.jsonl');
    expect(server.requests.length).toBeLessThan(requests + 4);
    expect(again.stdout).toContain('Not stable:\n  mixed: 2 of 4 agree, 2 passed');
    expect(again.stdout).toContain('Asked 4 times each: 1 of 2 cases had the same result each time (50.0 %); 75.0 %');
    const csv = await run('--resume', 'run.jsonl', '--csv');
    expect(csv.stdout.split('\n')[0]).toMatch(/,durationMs,askings,agreeing,passed\r?$/);
    const once = await inProcess(['eval', '--json', '--resume', 'run.jsonl'], folder.path, { env });
    expect(once.stdout).not.toContain('stability');
    await server.close();
  });

  it('ends soon when it is stopped, and leaves whole lines', async () => {
    using folder = folderWith({ 'eval/cases/simple.yml': CASES });
    const stopping = new AbortController();
    const server = await startOpenAIServer({
      respond: (request) => {
        if (!request.question.includes('id < 4')) return respond(request);
        setImmediate(() => stopping.abort());
        return { stall: true };
      },
    });
    const env = { SVC_PROVIDER: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url };
    const { signal } = stopping;
    const { code, stdout, stderr } = await inProcess(['eval', '--resume', 'run.jsonl'], folder.path, { env, signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('Stopped after 1 of 4 cases. Go on with --resume run.jsonl.');
    expect(folder.read('run.jsonl')).toMatch(/^\{"id":"ordered","status":"passed".*\}\n$/);
    await server.close();
  });

  it('keeps no conversation of the questions', async () => {
    using folder = folderWith({ 'eval/cases/simple.yml': DEMO_CASES });
    const env = { DATABASE_URL: 'sqlite:internal.db' };
    const { code, stderr } = await atlas(['eval', '--id', 'cancelled'], { cwd: folder.path, env });
    expect(code, stderr).toBe(0);
    expect(existsSync(join(folder.path, 'internal.db'))).toBe(true);
    const database = new Database(join(folder.path, 'internal.db'), { readonly: true });
    const tables = database.prepare('SELECT name FROM sqlite_master').pluck().all();
    database.close();
    expect(tables).toContain('audit_log');
    expect(tables).not.toContain('conversations');
  });
});
