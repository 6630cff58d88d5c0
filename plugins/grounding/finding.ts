/** Says what is wrong with the figures of an answer: to the model that corrects them, and to the reader. */
import { type AnswerDraft, type AnswerFinding, CORRECTION } from '../agent/index.ts';
import { grounding } from './grounding.ts';
import type { GroundingOptions } from './options.ts';

const MAX_NAMED = 10;

/** `undefined` when every figure is explained. */
export function findingOf(draft: AnswerDraft, { correct }: GroundingOptions): AnswerFinding | undefined {
  const { text, tables, question, context } = draft;
  const said = question.turns.map((turn) => (turn.role === 'user' ? turn.text : withoutCorrected(turn.text)));
  const { ungrounded } = grounding({ text, tables, said, context });
  if (ungrounded.length === 0) return undefined;
  const named = [...new Set(ungrounded.map((figure) => figure.text))].slice(0, MAX_NAMED);
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
  return { notes, ...(correct && { correction: { request, needsTools: !hasQuery } }) };
}

/** What an earlier answer said in the end: what was corrected in it explains nothing. */
function withoutCorrected(text: string): string {
  const at = text.lastIndexOf(CORRECTION);
  return at === -1 ? text : text.slice(at);
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
