/** Says what is wrong with the figures of an answer: to the model that corrects them, and to the reader. */
import { type AnswerDraft, type AnswerFinding, CORRECTION } from '../agent/index.ts';
import type { Figure } from './figure.ts';
import { figuresIn } from './figures.ts';
import { grounding } from './grounding.ts';
import type { GroundingOptions } from './options.ts';

const MAX_NAMED = 10;
const NO_ANSWER = 'No reliable answer was reached:';

/** `undefined` when every figure is explained. */
export function findingOf(draft: AnswerDraft, { correct }: GroundingOptions): AnswerFinding | undefined {
  const { text, tables, question, context } = draft;
  const said = question.turns.map((turn) => (turn.role === 'user' ? turn.text : withoutCorrected(turn.text)));
  const { ungrounded } = grounding({ text, tables, said, context });
  if (ungrounded.length === 0) return undefined;
  const named = textsOf(ungrounded);
  const leading = textsOf(leadingOf(text, ungrounded));
  const hasQuery = tables.length > 0;
  const notes = named.map((figure) => ({
    code: 'ungrounded_figure',
    message: hasQuery
      ? `The figure "${figure}" is neither in the results nor follows from them. Check it against the rows.`
      : `The figure "${figure}" was not looked up in the data.`,
  }));
  const request = hasQuery
    ? toCorrect(
        named,
        tables.some(({ truncated }) => truncated),
      )
    : toLookUp(named);
  return {
    notes,
    ...(correct && { correction: { request, needsTools: !hasQuery } }),
    ...(leading.length > 0 && { instead: noAnswer(leading, hasQuery) }),
  };
}

const textsOf = (figures: readonly Figure[]) => [...new Set(figures.map(({ text }) => text))].slice(0, MAX_NAMED);

/** The figures in the first sentence that states any, which the reader takes for the answer. */
function leadingOf(text: string, figures: readonly Figure[]): readonly Figure[] {
  const start = figuresIn(text)[0]?.start ?? 0;
  const sentence = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text).containing(start);
  const end = sentence === undefined ? text.length : sentence.index + sentence.segment.length;
  return figures.filter((figure) => figure.start < end);
}

function noAnswer(figures: readonly string[], hasQuery: boolean): string {
  return hasQuery
    ? `${NO_ANSWER} nothing in the results explains ${listOf(figures)}, which the model gave. Read the rows in the table, or use a more capable model.`
    : `${NO_ANSWER} the model gave ${listOf(figures)} and looked nothing up in the data. Name what the question is about as the data does, or use a more capable model.`;
}

/** What an earlier answer said in the end: what was corrected or withheld in it explains nothing. */
function withoutCorrected(text: string): string {
  const last = text.slice(Math.max(0, text.lastIndexOf(CORRECTION)));
  return last.includes(NO_ANSWER) ? '' : last;
}

const listOf = (figures: readonly string[]) => figures.map((figure) => `"${figure}"`).join(', ');

function toCorrect(figures: readonly string[], isTruncated: boolean): string {
  const part = isTruncated
    ? ' A result with truncated: true is a part: what you add up from it is not the sum of the whole.'
    : '';
  return `A check found figures in your answer that are neither in the results nor follow from them: ${listOf(figures)}.${part} Write the whole answer again with figures from the results only, and leave out what they do not say. Do not mention this check.`;
}

function toLookUp(figures: readonly string[]): string {
  return `Your answer states figures that you did not look up: ${listOf(figures)}. Look them up with your tools, then write the whole answer again. If they cannot be looked up, answer without them and say what is missing. Do not mention this check.`;
}
