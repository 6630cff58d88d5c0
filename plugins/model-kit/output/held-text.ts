/** Decides whether the end of a text that was held back is tool calls, a call that cannot be read, or text after all. */
import { answerIn } from './call-shapes.ts';
import { readValue } from './lenient-value.ts';
import type { FindTool } from './tool-names.ts';
import { type WrittenCalls, writtenCalls } from './written-calls.ts';
import { writtenQueries } from './written-query.ts';

export interface HeldText {
  readonly text: string;
  /** It has no markup, so that it may just as well be data. */
  readonly isBare: boolean;
  /** It begins with a tag inside a line, as in a sentence about it. */
  readonly isInline: boolean;
}

export type HeldMeaning = 'text' | 'unreadable' | Pick<WrittenCalls, 'calls' | 'isOpen'>;

/** `isQuery`: a text of nothing but a query is meant to be run. */
export function heldMeaning({ text, isBare, isInline }: HeldText, find: FindTool, isQuery: boolean): HeldMeaning {
  const queries = isQuery && isBare ? writtenQueries(text) : [];
  if (queries.length > 0) return queries.length > 1 ? 'unreadable' : { calls: queries, isOpen: true };
  const { calls, end, rest, isOpen } = writtenCalls(text, find, isBare);
  if (calls.length === 0) return isAttempt(text, find, isBare) ? 'unreadable' : 'text';
  const isExample = (isBare && hasWords(rest)) || (isInline && hasWords(text.slice(end).split('\n', 1)[0] ?? ''));
  return isExample ? 'text' : { calls, isOpen };
}

/** The answer that a text is which was held as a call: JSON with nothing but an answer, perhaps in a fence. */
export function heldAnswer(text: string): string | undefined {
  const { found, end, isOpen } = readValue(text, /^\s*(?:`{3,}\w*\s*)?/.exec(text)?.[0].length);
  return isOpen || !/^[\s`]*$/.test(text.slice(end)) ? undefined : answerIn(found?.value);
}

/** Words beside calls that say nothing. */
const FILLERS =
  /(?:\b(?:const|let|var)\s+)?\b\w{1,20}\s*=(?=\s*(?:await\s*)?\n)|(?:print|console\.log)\(\w{0,20}\)|<[^<>]{0,128}>|`{3,}[\w-]*|(?:\bAction|Action Input|Thought:|Final Answer:|Arguments:|Tool:|functools|assistant|commentary|to=|print|await|Calling|Observation:[\s\S]*|json|python|js\b|tool_code|[Tt]ool ?[Cc]all:|TOOL_CALL:|tool_call:|Function ?[Cc]all:|Function:|FUNCTION_CALL:)|functions?\.|default_api\./g;
const hasWords = (text: string) => /\p{L}/u.test(text.replace(FILLERS, ' '));

const ATTEMPT_CHARS = 200;

/** Whether a text that no call can be read from is the beginning of one all the same. */
function isAttempt(text: string, find: FindTool, isBare: boolean): boolean {
  const begun = text.slice(0, ATTEMPT_CHARS);
  const inside = begun.replace(/^\s*(?:`{3,}[\w-]*\s*|<[^<>]{1,128}>\s*|\[[A-Z_]{3,30}\]\s*)+/, '');
  if (!isBare) return /^[\s[]*(?:[{<(]|[\w.:/=-]{1,80}(?:[({<[]|\s*\n))/.test(inside);
  const isStructured = /^[\s[]*(?:\{|(?:print\()?[\w.]{1,80}\s*(?:\{|\(\s*(?:\w+\s*=|["'{]|$)))/.test(inside);
  const names = inside.match(/[A-Za-z_][\w.]*/g) ?? [];
  return isStructured && names.slice(0, 4).some((name) => find(name) !== undefined);
}
