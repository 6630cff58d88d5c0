/** Tells the model in which language and format of numbers it is to answer. */
import type { ChatTurn, ContextPart } from '../../kernel/index.ts';
import { LANGUAGES, languageOfTurns } from '../language-kit/index.ts';

/** Nothing for English, which needs no word. */
export function languagePart(turns: readonly ChatTurn[]): ContextPart[] {
  const code = languageOfTurns(turns);
  if (code === undefined) return [];
  const { name } = LANGUAGES[code];
  const [figure, share] = [
    (1_234_567.89).toLocaleString(code),
    (0.125).toLocaleString(code, { style: 'percent', maximumFractionDigits: 1 }),
  ].map((text) => text.replace(/\s/g, ' '));
  const text = `The question is in ${name}. Answer in ${name}, with numbers written as ${figure} and ${share}. Statements keep names and values as the data has them.`;
  return [{ title: 'Language', text, trusted: true, perQuestion: true }];
}
