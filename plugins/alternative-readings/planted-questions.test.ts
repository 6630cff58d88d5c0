/** Measures, over planted questions, that readings with other numbers are named, with the right ones, and no others. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type OpenAIServer, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { type Answer, agent } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { grounding } from '../grounding/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { provenance } from '../provenance/index.ts';
import { formattedValue } from '../result-kit/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { PLANTED, PLANTED_LAYER } from './fixtures/planted.ts';
import {
  AMBIGUOUS_MEASURES,
  AMBIGUOUS_TIMES,
  callOf,
  numberSql,
  OTHER_TIME,
  PLAIN,
  type Planted,
} from './fixtures/questions.ts';
import { alternativeReadings } from './index.ts';

const databases = new SqliteFolder();
const path = databases.create('planted.db', PLANTED);
const database = new Database(path, { readonly: true });
const folder = layerFolder(PLANTED_LAYER);
const all = [...AMBIGUOUS_TIMES, ...AMBIGUOUS_MEASURES, ...Object.values(PLAIN).flat()];

const app = (model: PluginEntry): Promise<TestApp> =>
  createTestApp({
    plugins: [
      semanticLayer({ dir: folder.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      model,
      agent(),
      provenance(),
      grounding(),
      alternativeReadings({ timeoutMs: 4_000 }),
    ],
  });

let server: OpenAIServer;
const apps: { offline?: TestApp; model?: TestApp } = {};
beforeAll(async () => {
  // A model that runs the first reading, and answers with what the result tells it to say.
  const usage = { input: 9_000, output: 10 };
  server = await startOpenAIServer({
    record: false,
    respond({ question, toolResults }) {
      const at = all.findIndex((one) => one.question === question);
      if (toolResults.length === 0) return { toolCall: callOf(all[at]!, at), usage };
      const { notes = [], rows } = JSON.parse(toolResults.at(-1)!) as { notes?: string[]; rows: object[] };
      const said = notes.map((note) => /^Say in the answer: (.*)$/.exec(note)?.[1] ?? '').filter(Boolean);
      return { text: said.join(' ') || `It is ${Object.values(rows[0]!)[0]}.`, usage };
    },
  });
  const options = { provider: 'openai-compatible', baseUrl: server.url, model: 'scripted' } as const;
  [apps.offline, apps.model] = await Promise.all([app(modelOffline()), app(modelOpenai(options))]);
  // The first statement takes longest.
  for (const one of [apps.offline, apps.model])
    (await one.get(agent).runStatement({ sql: 'SELECT 1', surface: 'api' }, one.scope())).release();
});
afterAll(async () => {
  await Promise.all([apps.offline?.close(), apps.model?.close(), server?.close()]);
  database.close();
  folder[Symbol.dispose]();
  databases[Symbol.dispose]();
});

const asked = async (reader: 'offline' | 'model', question: string): Promise<Answer> => {
  const { [reader]: one } = apps as Required<typeof apps>;
  return one.get(agent).answer({ turns: [{ role: 'user', text: question }], surface: 'api' }, one.scope());
};
/** As the layer calls them: its synonym that ends in "date", else the name. */
const DATES: Readonly<Record<string, string>> = { paid_on: 'payment', started_on: 'start', ended_on: 'end' };
const spoken = (name: string) => (name in DATES ? `${DATES[name]} date` : name.replaceAll('_', ' '));
const number = (one: Planted, time = one.time, figure = one.figure): string => {
  const { n } = database.prepare<[], { n: number }>(numberSql(one, time, figure)).get()!;
  return formattedValue(n, one.format === 'EUR' ? { style: 'currency', unit: 'EUR' } : undefined, 'en-US')!;
};
const namesIn = ({ data }: Answer) =>
  data.flatMap(({ about }) => (about?.readings as { text: string } | undefined)?.text ?? []);

describe.each(['offline', 'model'] as const)('the reader %s', (reader) => {
  test.each(AMBIGUOUS_TIMES)('names both dates: $question', async (one) => {
    const other = OTHER_TIME[one.table]!;
    const [own, others] = [number(one), number(one, other)];
    expect(own).not.toBe(others);
    const text = `By ${spoken(one.time)} ${own}, by ${spoken(other)} ${others}.`;
    const answer = await asked(reader, one.question);
    expect([answer.outcome, answer.notes, namesIn(answer)]).toEqual(['answered', [], [text]]);
    expect(answer.text).toContain(text);
  });

  test.each(Object.entries(PLAIN).flatMap(([why, some]) => some.map((one) => ({ why, ...one }))))(
    'names nothing where $why: $question',
    async (one) => {
      const answer = await asked(reader, one.question);
      expect([answer.outcome, namesIn(answer)]).toEqual(['answered', []]);
      expect(Object.values(answer.data[0]!.rows[0]!)).toEqual([
        expect.closeTo(database.prepare<[], { n: number }>(numberSql(one)).get()!.n, 3),
      ]);
    },
  );
});

test.each(AMBIGUOUS_MEASURES)('a model is told both measures: $question', async (one) => {
  const answer = await asked('model', one.question);
  const text = `Gross revenue ${number(one)}, net revenue ${number(one, one.time, 'SUM(net)')}.`;
  expect([answer.text, answer.notes, namesIn(answer)]).toEqual([text, [], [text]]);
});

test('the reader without a model takes no measure of several', async () => {
  for (const { question } of AMBIGUOUS_MEASURES) expect((await asked('offline', question)).data).toEqual([]);
});
