/** The offline reader on three layers with hand-written SQL: what it answers is right, and it answers nearly all. */
import { expect, it } from 'vitest';
import { judgeCorpus } from '../harness/ask-offline.ts';
import { corpusNames } from '../harness/question-corpus.ts';

it.each(corpusNames())('%s: no wrong rows, at least 95 %% answered as they should be', async (name) => {
  const judged = await judgeCorpus(name);
  const wrong = judged.filter(({ verdict }) => verdict === 'wrong');
  expect(wrong.map(({ question, note }) => `${question.question} -> ${note}`)).toEqual([]);
  const right = judged.filter(({ verdict }) => verdict === 'right').length;
  expect(right / judged.length).toBeGreaterThanOrEqual(0.95);
});
