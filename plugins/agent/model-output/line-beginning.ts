/** Tells from the beginning of a line whether it is a tool call without markup, or what gpt-oss writes without its tokens. */
import type { OfferedTools } from './offered-tools.ts';

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

/** What a line is; `partial` when more of it decides, `undefined` when it is just text. */
export type LineBeginning = 'call' | 'partial' | typeof BARE_THOUGHTS | typeof BARE_ANSWER | undefined;

/** `line`: its first `BEGINNING_CHARS`. `isFirst`: it is the first of the text; `isLast`: no more follows. */
export function lineBeginning(line: string, tools: OfferedTools, isFirst: boolean, isLast: boolean): LineBeginning {
  const start = line.trimStart();
  const isUndecided = !isLast && line.length < BEGINNING_CHARS;
  if (start === '') return undefined;
  return (isFirst ? bareMessage(start, isUndecided) : undefined) ?? bareCall(start, tools, isUndecided);
}

function bareMessage(start: string, isUndecided: boolean): LineBeginning {
  const named = [BARE_THOUGHTS, BARE_ANSWER] as const;
  const begun = named.find((bare) => start.startsWith(bare) && /^[A-Z"'\d]/.test(start.slice(bare.length)));
  return begun ?? (isUndecided && named.some((bare) => bare.startsWith(start)) ? 'partial' : undefined);
}

function bareCall(start: string, { beginnings, pairs }: OfferedTools, isUndecided: boolean): LineBeginning {
  let inside = start;
  if (start.startsWith('`')) {
    const fence = /^`{1,8}([\w-]*)[ \t]*(\n?)/.exec(start);
    const language = (fence?.[1] ?? '').toLowerCase();
    if (fence?.[2] !== '\n') return isUndecided && /^`+[\w-]*[ \t]*$/.test(start) ? 'partial' : undefined;
    if (!start.startsWith('```') || !CALL_FENCES.has(language)) return undefined;
    if (language.startsWith('tool_c')) return 'call';
    inside = start.slice(fence[0].length);
  } else if (start.startsWith('<')) return undefined;
  const [, first = '', second = ''] = /^\s*(\S)\s*(\S?)/.exec(inside) ?? [];
  if (second !== '' ? !pairs.has(first + second) : !isUndecided) return undefined;
  const compact = inside.replace(/\s+/g, '');
  if (beginnings.some((beginning) => compact.startsWith(beginning))) return 'call';
  return isUndecided && beginnings.some((beginning) => beginning.startsWith(compact)) ? 'partial' : undefined;
}

/** How thoughts begin whose opening tag is part of the prompt. */
export const THOUGHT_BEGINNINGS = [
  'think>',
  'Okay',
  'Ok,',
  'Alright',
  'Hmm',
  'Let me',
  "Let's",
  'First,',
  'Wait',
  'The user',
  'User',
  'We need',
  'We should',
  'We have',
  'We must',
  'We can',
  'I need',
  'I should',
  'I have to',
  "I'll need",
  'I must',
  'So,',
  'So the',
  'Now,',
  'Need to',
  'Thinking',
  '好的',
  '嗯',
  '用户',
  '首先',
  '我需要',
];
