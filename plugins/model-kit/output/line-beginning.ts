/** Tells from the beginning of a line whether it is a tool call without markup, or what gpt-oss writes without its tokens. */
import { THOUGHT } from './markup.ts';
import type { OfferedTools } from './offered-tools.ts';
import { BARE_QUERY, FENCED_QUERY, QUERY_BEGUN } from './written-query.ts';

/** How much of a line decides. */
export const BEGINNING_CHARS = 200;
/** gpt-oss without its control tokens: thoughts follow `analysis`, the answer `assistantfinal`. */
export const BARE_THOUGHTS = 'analysis';
export const BARE_ANSWER = 'assistantfinal';
export const BARE_CALL = 'assistantcommentary to=';

/** Fences in which calls stand; in any other a call is an example. */
const CALL_FENCES = new Set(
  ' json jsonc json5 tool_code tool_call tool_calls tool function_call python py xml text plaintext javascript js typescript ts'.split(
    ' ',
  ),
);

/** In code, without white space: `const rows = await executeSQL(…)`, and what may become it. */
const ASSIGNED = /^(?:const|let|var)?\w{1,20}=(?=\w)/;
const ASSIGNING = /^\w{1,25}=?$/;

/** What a label of the answer looks like where agents of another kind write `Thought:` and `Action:` in front of it. */
const FINAL = /^\**(?:final )?answer\**\s*:\s*\**[^\S\n]*/i;

/** What a line is; `partial` when more of it decides. */
export interface LineBeginning {
  readonly verdict:
    | 'text'
    | 'partial'
    | 'call'
    /** Thoughts in a fence. */
    | 'fenced'
    /** A label of the answer. */
    | 'final'
    | typeof BARE_THOUGHTS
    | typeof BARE_ANSWER;
  /** Length of what is no text itself. */
  readonly length: number;
}

export interface KnownOfLine {
  /** It is the first of the text. */
  readonly isFirst: boolean;
  /** No more of the text follows. */
  readonly isLast: boolean;
  /** A query is meant to be run. */
  readonly isQuery: boolean;
}

const TEXT: LineBeginning = { verdict: 'text', length: 0 };
const PARTIAL: LineBeginning = { verdict: 'partial', length: 0 };
const CALL: LineBeginning = { verdict: 'call', length: 0 };

/** `line`: its first `BEGINNING_CHARS`. */
export function lineBeginning(
  line: string,
  tools: OfferedTools,
  { isFirst, isLast, isQuery }: KnownOfLine,
): LineBeginning {
  const start = line.trimStart();
  const isUndecided = !isLast && line.length < BEGINNING_CHARS;
  if (start === '') return TEXT;
  const blank = line.length - start.length;
  const final = FINAL.exec(start);
  if (final !== null) return { verdict: 'final', length: blank + final[0].length };
  if (isUndecided && /^\**(?:f(?:inal[\w *]{0,12})?|a(?:n(?:s(?:w(?:er?)?)?)?)?\**)$/i.test(start)) return PARTIAL;
  if (isQuery && (FENCED_QUERY.test(start) || BARE_QUERY.test(start))) return CALL;
  if (isQuery && isUndecided && QUERY_BEGUN.test(start)) return PARTIAL;
  return (isFirst ? bareMessage(start, blank, isUndecided) : undefined) ?? bareCall(start, blank, tools, isUndecided);
}

function bareMessage(start: string, blank: number, isUndecided: boolean): LineBeginning | undefined {
  const named = [BARE_THOUGHTS, BARE_ANSWER] as const;
  const begun = named.find((bare) => start.startsWith(bare) && /^[A-Z"'\d]/.test(start.slice(bare.length)));
  if (begun !== undefined) return { verdict: begun, length: blank + begun.length };
  return isUndecided && named.some((bare) => bare.startsWith(start)) ? PARTIAL : undefined;
}

function bareCall(
  start: string,
  blank: number,
  { beginnings, pairs }: OfferedTools,
  isUndecided: boolean,
): LineBeginning {
  let inside = start;
  if (start.startsWith('``')) {
    const fence = /^`{2,8}([\w-]*)[ \t]*(\n?)/.exec(start);
    const language = (fence?.[1] ?? '').toLowerCase();
    if (fence?.[2] !== '\n') return isUndecided && /^`+[\w-]*[ \t]*$/.test(start) ? PARTIAL : TEXT;
    if (!start.startsWith('```')) return TEXT;
    if (THOUGHT.test(language)) return { verdict: 'fenced', length: blank + fence[0].length - 1 };
    if (!CALL_FENCES.has(language)) return TEXT;
    if (language.startsWith('tool_c')) return CALL;
    inside = start.slice(fence[0].length).trimStart();
    if (isUndecided && ASSIGNING.test(inside.replace(/\s+/g, ''))) return PARTIAL;
    inside = inside.replace(/\s+/g, '').replace(ASSIGNED, '');
  } else if (start.startsWith('<')) return TEXT;
  // Labels may be bold, and names in backquotes.
  const compact = inside.replace(/[\s*`#]+/g, '');
  if (compact.length > 1 ? !pairs.has(compact.slice(0, 2)) : !isUndecided) return TEXT;
  if (beginnings.some((beginning) => compact.startsWith(beginning))) return CALL;
  return isUndecided && beginnings.some((beginning) => beginning.startsWith(compact)) ? PARTIAL : TEXT;
}
