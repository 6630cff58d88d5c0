/** Puts another value into a question. */
import { correctionTo } from './read-as.ts';

/** The question with `near` in the place of `value`, in whatever case it stands there; else a correction of the last one. */
export function withValue(question: string, value: string, near: string): string {
  const at = question.toLowerCase().indexOf(value.toLowerCase());
  return at === -1 ? correctionTo(near) : question.slice(0, at) + near + question.slice(at + value.length);
}
