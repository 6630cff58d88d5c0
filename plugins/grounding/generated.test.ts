/** Hundreds of answers over random results: no right figure is flagged, planted ones are. */
import { expect, test } from 'vitest';
import { writtenAnswers } from './fixtures/answers.ts';
import { grounding } from './grounding.ts';

const ANSWERS = 1_000;
/** A figure may by chance be the ratio or growth of two other values. */
const LEAST_FOUND = 0.9;

const ungrounded = ({ text, tables }: ReturnType<typeof writtenAnswers>[number]) =>
  grounding({ text, tables, said: ['How did the regions do?'], context: () => [] }).ungrounded;

test('no right figure of generated answers is flagged', () => {
  const flagged = writtenAnswers(ANSWERS, false).filter((answer) => ungrounded(answer).length > 0);
  console.log(`grounding: ${flagged.length} of ${ANSWERS} right answers flagged`);
  expect(flagged.map(({ text, notation }) => `${notation}: ${text}`)).toEqual([]);
});

test('planted figures are found', () => {
  const answers = writtenAnswers(ANSWERS, true).filter(({ form }) => form !== 'scientific');
  const missed = answers.filter((answer) => ungrounded(answer).length === 0);
  const byForm = Object.fromEntries(
    [...Map.groupBy(missed, ({ form }) => form)].map(([form, { length }]) => [form, length]),
  );
  console.log(
    `grounding: ${answers.length - missed.length} of ${answers.length} planted figures found; missed:`,
    byForm,
  );
  expect(1 - missed.length / answers.length).toBeGreaterThan(LEAST_FOUND);
});
