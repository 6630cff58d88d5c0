/** The offline reader on three layers with hand-written SQL: what it answers is right, and it answers most. */
import { expect, it } from 'vitest';
import { judgeCorpus } from '../harness/ask-offline.ts';
import { corpusNames } from '../harness/question-corpus.ts';

it.each(corpusNames())('%s: no wrong rows, at least 75 %% of what can be answered is', async (name) => {
  const judged = await judgeCorpus(name);
  const wrong = judged.filter(({ verdict }) => verdict === 'wrong');
  expect(wrong.map(({ question, note }) => `${question.question} -> ${note}`)).toEqual([]);
  const answerable = judged.filter(({ question }) => question.expect.includes('rows'));
  const right = answerable.filter(({ verdict, note }) => verdict === 'right' && note.startsWith('rows')).length;
  expect(right / answerable.length).toBeGreaterThanOrEqual(0.75);
});
