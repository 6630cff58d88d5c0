/** Tests `atlas benchmark` on a small folder in BIRD's layout, with a scripted provider. */
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { type RecordedRequest, type Step, startOpenAIServer } from '../../../test/harness/openai-server.ts';
import { csvRecords } from './descriptions.ts';
import { evidenceTerms } from './evidence.ts';

const QUESTIONS = [
  {
    question_id: 7,
    db_id: 'school',
    question: 'Run SELECT "Free Meals (K-12)" FROM pupils WHERE town = \'Málaga\'',
    evidence: 'free meals refers to `Free Meals (K-12)`; Málaga is a town',
    SQL: "SELECT `Free Meals (K-12)` FROM pupils WHERE town = 'Málaga'",
    difficulty: 'simple',
  },
  {
    question_id: 8,
    db_id: 'school',
    question: 'Run SELECT town, COUNT(*) FROM pupils GROUP BY town',
    evidence: '',
    SQL: 'SELECT COUNT(*), town FROM pupils GROUP BY town',
    difficulty: 'moderate',
  },
  { question_id: 9, db_id: 'school', question: 'Decline this.', evidence: '', SQL: 'SELECT 1', difficulty: 'moderate' },
  {
    question_id: 10,
    db_id: 'trade',
    question: 'Run SELECT SUM(amount) FROM "order"',
    evidence: '',
    SQL: 'SELECT SUM(amount) FROM `order`',
    difficulty: 'challenging',
  },
  {
    question_id: 11,
    db_id: 'trade',
    question: 'Run SELECT 1',
    evidence: '',
    SQL: "SELECT load_extension('x')",
    difficulty: 'challenging',
  },
];

/** Columns of a table in Windows-1252, whose letters are no UTF-8. */
const DESCRIPTION = Buffer.from(
  'original_column_name,column_name,column_description,data_format,value_description\r\n' +
    'Free Meals (K-12),free meals,"Number of meals, \xe0 la carte",integer,\r\n' +
    'town,town,,text,"""Town"" of the school\nsince 2001"\r\n',
  'latin1',
);

function birdFolder() {
  const folder = emptyFolder();
  const write = (path: string, data: string | Buffer) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), data);
  };
  write('bird/dev.json', JSON.stringify(QUESTIONS));
  write('bird/dev_databases/school/database_description/pupils.csv', DESCRIPTION);
  write(
    'bird/dev_databases/trade/database_description/order.csv',
    `\uFEFForiginal_column_name,column_description\namount,In euros\n`,
  );
  const create = (name: string, sql: string) => {
    mkdirSync(join(folder.path, `bird/dev_databases/${name}`), { recursive: true });
    const database = new Database(join(folder.path, `bird/dev_databases/${name}/${name}.sqlite`));
    database.exec(sql);
    database.close();
  };
  create(
    'school',
    `CREATE TABLE pupils (id INTEGER PRIMARY KEY, "Free Meals (K-12)" INTEGER, town TEXT);
    INSERT INTO pupils VALUES (1, 20, 'Málaga'), (2, 30, 'Bonn'), (3, 20, 'Málaga');`,
  );
  // In this mode even reading makes files beside the database.
  create(
    'trade',
    'PRAGMA journal_mode = WAL; CREATE TABLE "order" (id INTEGER, amount REAL); INSERT INTO "order" VALUES (1, 2.5), (2, 1);',
  );
  return folder;
}

function respond({ question, toolResults }: RecordedRequest): Step {
  const usage = { input: 100, output: 10 };
  const sql = question.match(/Run (.*)/s)?.[1];
  if (sql === undefined || toolResults.length > 0) return { text: sql === undefined ? '' : 'See the rows.', usage };
  return { toolCall: { name: 'executeSQL', args: { sql } }, usage };
}

const filesOf = (folder: string) =>
  Object.fromEntries(
    globSync('bird/**/*', { cwd: folder })
      .sort()
      .map((path) => [path, statSync(join(folder, path)).mtimeMs]),
  );

describe('benchmark', () => {
  it('scores as BIRD does, and writes nothing into its folder', async () => {
    using folder = birdFolder();
    await using server = await startOpenAIServer({ respond });
    const env = { SVC_PROVIDER: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url };
    const before = filesOf(folder.path);
    const run = (...args: readonly string[]) =>
      atlas(['benchmark', '--bird-path', 'bird', ...args], { cwd: folder.path, env });
    const { code, stdout, stderr } = await run('--json', '--resume', 'run.jsonl');
    expect(code, stderr).toBe(0);
    const { summary, cases } = JSON.parse(stdout);
    expect(Object.fromEntries(cases.map(({ id, status }: Record<string, string>) => [id, status]))).toEqual({
      7: 'passed',
      // BIRD counts the order of columns.
      8: 'failed',
      9: 'refused',
      10: 'passed',
      11: 'error',
    });
    expect(summary).toMatchObject({
      total: 5,
      passed: 2,
      failed: 1,
      refused: 1,
      error: 1,
      accuracy: 0.4,
      goldRefused: 1,
    });
    expect(Object.keys(summary.goldRefusedReasons)[0]).toContain('load_extension');
    expect(summary.byDatabase).toMatchObject({ school: { total: 3, passed: 1 }, trade: { total: 2, passed: 1 } });
    expect(summary.efficiency).toBeGreaterThan(0);
    expect(cases[0].reward).toBeGreaterThan(0);
    expect(filesOf(folder.path)).toEqual(before);

    const [first] = server.requests;
    const seen = first?.text ?? '';
    expect(seen).toContain('Number of meals, à la carte');
    expect(seen).toContain('of the school since 2001');
    expect(seen).toMatch(/free meals/);
    const second = server.requests.find(({ question }) => question.includes('GROUP BY'));
    expect(first?.text).toContain('is a town');
    expect(second?.text).not.toContain('is a town');

    const again = await run('--resume', 'run.jsonl', '--db', 'trade', '--csv');
    expect(again.stdout.split('\n')[0]).toContain('id,status,reason,database,difficulty');
    expect(again.stdout).toContain('10,passed,');
    expect(readFileSync(join(folder.path, 'run.jsonl'), 'utf8').trim().split('\n')).toHaveLength(6);
    expect((await run('--limit', '1')).stdout).toContain('Execution accuracy 100.0 %: 1 of 1.');
  });

  it.each([
    [['--bird-path', 'gone'], 'gone has no dev.json.'],
    [['--bird-path', 'bird', '--db', 'scholl'], 'did you mean `school`?'],
    [['--bird-path', 'bird', '--limit', 'x'], '--limit is invalid'],
    [['--bird-path', 'bird', '--json', '--csv'], '--csv'],
    [[], '--bird-path'],
  ])('wrong use: %j', async (args, message) => {
    using folder = birdFolder();
    const { code, stdout, stderr } = await atlas(['benchmark', ...args], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });
});

it('reads CSV with quotes, line breaks and missing ends', () => {
  expect(csvRecords('a,"b ""c""\nd",\r\n\r\n,x\n"open')).toEqual([['a', 'b "c"\nd', ''], ['', 'x'], ['open']]);
  expect(csvRecords('')).toEqual([]);
});

it('takes evidence apart', () => {
  expect(
    evidenceTerms("K-12 rate = `a` / `b`; 'active' refers to status = 'A';look at 2012\nK-12 rate means a share"),
  ).toEqual([
    { term: 'K-12 rate', status: 'defined', definition: '`a` / `b`; a share' },
    { term: 'active', status: 'defined', definition: "status = 'A'" },
    { term: 'note 3', status: 'defined', definition: 'look at 2012' },
  ]);
  expect(evidenceTerms(' ')).toEqual([]);
});
