/**
 * Whether the first request to the model holds what the gold statement of a question needs. `ATLAS_QUESTION_SETS`: folders
 * with `dev.json` and `tables.json` of Spider or BIRD, separated by colons, which are measured as well.
 */
import { basename } from 'node:path';
import { datasourceExecute, datasourceList, definePlugin } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { createTestApp, testScope } from '../harness/create-test-app.ts';
import { type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';
import { type AskedQuestion, demoSet, publishedSets, type QuestionSet } from '../harness/question-sets.ts';
import type { Bench, Row } from './measure.ts';

const MAX_REQUEST_BYTES = 16 * 1024;
const MAX_TABLES = 6;
const RANKS = [1, 3, MAX_TABLES];
/** Prompts that a cache still knows. */
const REMEMBERED = 100;

/** A connection that cannot be described, so that the layer is not compared with it. Every statement finds one row. */
const oneRow = definePlugin({
  name: 'one-row',
  version: '1.0.0',
  type: 'datasource',
  description: 'A connection without a database.',
  setup(ctx) {
    ctx.tap(datasourceList, () => [{ id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:none' }]);
    ctx.tapKey(datasourceExecute, 'default', () => ({ columns: ['n'], rows: [{ n: 7 }], truncated: false, notes: [] }));
  },
});

/** What one request shows of the layer. */
interface Shown {
  readonly bytes: number;
  /** Entities in detail, in order, with their text in lower case. */
  readonly entities: ReadonlyMap<string, string>;
}

/** What a question needs of the model. */
interface Asked extends Shown {
  /** Names of entities, the most relevant first. */
  readonly ranked: readonly string[];
  readonly calls: number;
}

function shownIn(request: RecordedRequest): Shown {
  const text = `${request.instructions}\n${request.question}`;
  const blocks = text
    .split(/\n## /)
    .slice(1)
    .map((block) => block.split(/\n(?=# |<\/)/)[0] ?? '');
  const detailed = blocks.filter((block) => block.includes('\ncolumns:\n- '));
  const nameOf = (block: string) => /^[^(:\n]*/.exec(block)?.[0].trim() ?? '';
  return {
    bytes: Buffer.byteLength(request.text),
    entities: new Map(detailed.map((block) => [nameOf(block), block.toLowerCase()])),
  };
}

/** Follows what it is given: explores where an entity of the gold statement is not shown, queries once, and answers. */
const literal =
  (questions: readonly AskedQuestion[]) =>
  (request: RecordedRequest): Step => {
    const gold = questions.find(({ question }) => request.question.endsWith(question))?.gold;
    const { toolResults } = request;
    if (toolResults.some((result) => result.includes('"rowCount"'))) return { text: 'It is 7.' };
    const missing = gold?.tables.find((table) => !shownIn(request).entities.has(table));
    if (missing !== undefined && toolResults.length === 0) {
      return { toolCall: { name: 'explore', args: { path: `entities/${missing}.yml` } } };
    }
    return { toolCall: { name: 'executeSQL', args: { sql: `SELECT COUNT(*) AS n FROM ${gold?.tables[0]}` } } };
  };

const promptOf = ({ body }: RecordedRequest) =>
  Buffer.from(JSON.stringify(body.tools ?? []) + JSON.stringify(body.messages));

/** The share of all prompts that an earlier one of the last ones began with, as a prompt cache would find it. */
function cachedShare(requests: readonly RecordedRequest[]): number {
  const prompts = requests.map(promptOf);
  let [cached, all] = [0, 0];
  for (const [at, prompt] of prompts.entries()) {
    const earlier = prompts.slice(Math.max(0, at - REMEMBERED), at);
    cached += Math.max(0, ...earlier.map((other) => commonBytes(prompt, other)));
    all += prompt.length;
  }
  return cached / all;
}

function commonBytes(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

interface Measured {
  readonly name: string;
  readonly questions: readonly AskedQuestion[];
  readonly asked: readonly Asked[];
  readonly cached: number;
}

async function measured(set: QuestionSet): Promise<Measured> {
  using layer = set;
  const { name, layerDir, questions } = layer;
  await using model = await startOpenAIServer({ respond: literal(questions) });
  await using app = await createTestApp({
    plugins: [
      oneRow(),
      semanticLayer({ dir: layerDir }),
      semanticQuery(),
      modelOpenai({ provider: 'openai-compatible', baseUrl: model.url, model: 'recorded' }),
      agent(),
    ],
  });
  const asked: Asked[] = [];
  for (const { question } of questions) {
    const before = model.requests.length;
    const about = { turns: [{ role: 'user' as const, text: question }], surface: 'api' };
    await app.get(agent).answer(about, testScope());
    const { entities } = await app.get(semanticLayer).explain(about, testScope());
    asked.push({
      ...shownIn(model.requests[before]!),
      ranked: entities.map((entity) => entity.name),
      calls: model.requests.length - before,
    });
  }
  return { name, questions, asked, cached: cachedShare(model.requests) };
}

/** A text as words between single spaces, so that one can be searched in another. */
const spaced = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()} `;

/** What of the gold a request shows. */
function found({ gold }: AskedQuestion, { entities }: Shown) {
  const all = spaced([...entities.values()].join(' '));
  return {
    tables: gold.tables.every((table) => entities.has(table)),
    columns: gold.columns.every((column) => {
      const [table = '', name = ''] = column.split('.');
      return spaced(entities.get(table) ?? '').includes(spaced(name));
    }),
    values: gold.values.every((value) => all.includes(spaced(value))),
  };
}

const percent = (list: readonly boolean[]) => (100 * list.filter(Boolean).length) / list.length;
const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;

/** `hasValues`: the layer has sample values at all. */
function rowsOf({ name, questions, asked, cached }: Measured, hasValues = true): Row[] {
  const shown = questions.map((question, at) => found(question, asked[at]!));
  const ofValues = shown.filter((_, at) => questions[at]!.gold.values.length > 0).map(({ values }) => values);
  const recall = (most: number) =>
    questions.map(({ gold }, at) => {
      const first = asked[at]!.ranked.slice(0, most);
      return (100 * gold.tables.filter((table) => first.includes(table)).length) / gold.tables.length;
    });
  const row = (what: string, value: number, unit: string, bound: Partial<Row> = {}): Row => ({
    what: `${name}: ${what}`,
    value,
    unit,
    ...bound,
  });
  return [
    row('all gold tables in detail', percent(shown.map(({ tables }) => tables)), '%', { atLeast: 97 }),
    ...RANKS.map((most) => row(`gold tables among the first ${most}`, mean(recall(most)), '%')),
    row('all gold columns', percent(shown.map(({ columns }) => columns)), '%'),
    ...(hasValues && ofValues.length > 0
      ? [row(`all text values of ${ofValues.length} gold statements`, percent(ofValues), '%', { atLeast: 90 })]
      : []),
    row('tables in detail, mean', mean(asked.map(({ entities }) => entities.size)), '', { target: MAX_TABLES }),
    row('first request, largest', Math.max(...asked.map(({ bytes }) => bytes)), 'bytes', { target: MAX_REQUEST_BYTES }),
    row('first request, mean', mean(asked.map(({ bytes }) => bytes)), 'bytes'),
    row('calls of a model that explores what is missing', mean(asked.map(({ calls }) => calls)), '', { target: 2.05 }),
    row('share of the prompts that a cache keeps', cached, ''),
  ];
}

const SETS = [
  ['simple'],
  ['ecommerce'],
  ['cybersec'],
  ['ecommerce', 300],
  ['cybersec', 300],
  ['ecommerce', 2_000],
  ['cybersec', 2_000],
] as const;

export const retrieval: Bench = async () => {
  const rows: Row[] = [];
  for (const [demo, entities] of SETS) rows.push(...rowsOf(await measured(await demoSet(demo, entities))));
  for (const folder of (process.env.ATLAS_QUESTION_SETS ?? '').split(':').filter(Boolean)) {
    const all: Measured[] = [];
    for await (const set of publishedSets(folder)) all.push(await measured(set));
    const questions = all.flatMap((one) => one.questions);
    const asked = all.flatMap((one) => one.asked);
    rows.push(
      ...rowsOf({ name: basename(folder), questions, asked, cached: mean(all.map(({ cached }) => cached)) }, false),
    );
  }
  return rows;
};
