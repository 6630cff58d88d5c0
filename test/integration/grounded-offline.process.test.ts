/** Every answer of the offline model is made of rows: the check of figures flags none of its corpora. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import { agent } from '../../plugins/agent/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { corpusNames, readCorpus } from '../harness/question-corpus.ts';

it.each(corpusNames())('%s', async (name) => {
  const corpus = readCorpus(name);
  using folder = emptyFolder();
  const database = join(folder.path, 'data.db');
  await corpus.createDatabase(database);
  const { env } = readEnv({
    PORT: '0',
    SVC_PROVIDER: 'offline',
    SVC_DATASOURCE_URL: `sqlite:${database}`,
    SVC_SEMANTIC_DIR: corpus.layer,
  });
  await using app = await createTestApp({ plugins: selfHosted(env), openGates: false });
  const flagged: string[] = [];
  let answered = 0;
  for (const { question, history } of corpus.questions) {
    const turns = [...history, question].map((text) => ({ role: 'user' as const, text }));
    const answer = await app
      .get(agent)
      .answer({ turns, surface: 'api' }, app.scope())
      .catch(() => undefined);
    if (answer?.data.length) answered += 1;
    const notes = answer?.notes.filter(({ code }) => code === 'ungrounded_figure') ?? [];
    if (notes.length > 0)
      flagged.push(`${question}: ${notes.map(({ message }) => message).join(' ')}\n${answer?.text}`);
  }
  console.log(`grounding: ${flagged.length} of ${corpus.questions.length} offline answers to ${name} flagged`);
  expect(flagged).toEqual([]);
  expect(answered).toBeGreaterThan(corpus.questions.length / 2);
});
