/** Recognizes the markup that models write around thoughts, tool calls and messages when their server does not read it. */
import { ANSWER_KEYS, ARGUMENT_KEYS, ENVELOPE_KEYS, NAME_KEYS } from './call-shapes.ts';
import type { FindTool } from './tool-names.ts';

/** What a token or tag means: `end` ends the answer, `break` one of its messages; `wrapper` and `noise` mean nothing. */
export type Meaning = 'call' | 'thought' | 'thought-end' | 'header' | 'message' | 'end' | 'break' | 'wrapper' | 'noise';

export interface Markup {
  readonly meaning: Meaning;
  /** As written. */
  readonly text: string;
  /** What ends it, where that is no tag of thoughts. */
  readonly closing?: string;
}

/** Longest token or tag. */
export const MAX_MARKUP_CHARS = 128;

const TOKEN = /<[|｜](?:DSML[|｜])?([^<>|｜\n]{1,40})(?:[|｜]>|>)|<([^<>|｜\n]{1,40})[|｜]>/y;
const TAG = /<(\/?)(?:[\w-]{1,20}:)?([A-Za-z][\w.-]{0,63})((?:=|\s)[^<>\n{]{0,80})?(?:>|(?=\{))/y;
const BRACKETS = /\[(\/?)([A-Z_]{3,30}|(?:think(?:ing)?|thoughts?|reasoning)(?!\]\())\]|◁(\/?)(\w{1,20})▷/y;
/** What the beginning of any of these looks like. */
const BEGINNING = /(?:<[|｜/]?[^<>\n]{0,120}|\[\/?(?:[A-Z_]{0,30}|[a-z]{1,9})|◁\/?\w{0,20})$/y;

export const THOUGHT =
  /^(?:(?:internal_|inner_)?(?:think(?:ing)?|thoughts?|reasoning|reason|reflection|monologue|analysis)(?:_(?:process|content|block))?|scratchpad)$/i;
const CALL_TAG =
  /^(?:tool_?calls?|function_?calls?|tool_?use|tool_?request|tool_?code|invoke|use_?(?:mcp_?)?tool|start_function_call|call_?tools?|(?:execute|run)_?tool)$/i;
/** Tags that may mean a call when they hold nothing but its name. */
const NAME_TAG = /^(?:tool|action)$/i;
const RESULT_TAG = /^(?:tool_?(?:response|result|output)s?|function_?(?:response|result)s?|observation)$/i;
const END_TAG = /^(?:s|eos|bos|pad|end_of_turn|start_of_turn|end_of_utterance)$/i;
const WRAPPER_TAG = /^(?:answer|final_answer|final|response|output|solution)$/i;

/**
 * The markup at a place of a text: `'partial'` when more text decides, `undefined` when there is none. `isLast`: no more
 * text follows.
 */
export function markupAt(text: string, at: number, find: FindTool, isLast: boolean): Markup | 'partial' | undefined {
  const complete = tokenAt(text, at) ?? tagAt(text, at, find) ?? bracketsAt(text, at);
  if (complete !== undefined || isLast || text.length - at > MAX_MARKUP_CHARS) return complete;
  BEGINNING.lastIndex = at;
  return BEGINNING.test(text) ? 'partial' : undefined;
}

function tokenAt(text: string, at: number): Markup | undefined {
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const name = (match[1] ?? match[2] ?? '').toLowerCase();
  // Only Gemma and DeepSeek write one bar, and only in a few tokens.
  const isToken =
    /^[\w▁ .:/-]{3,}$/.test(name) &&
    (/^<[|｜].*[|｜]>$/.test(match[0]) || /tool|function|invoke|channel|turn/.test(name));
  if (match[0] === '<channel|>') return { meaning: 'break', text: match[0] };
  return isToken ? { meaning: tokenMeaning(name), text: match[0] } : undefined;
}

function tokenMeaning(name: string): Meaning {
  const isEnd = /end|close|^\//.test(name);
  if (/think|thought|reason/.test(name)) return isEnd ? 'thought-end' : 'thought';
  if (/result|response|observation|outputs?.begin/.test(name)) return /solution/.test(name) ? 'wrapper' : 'end';
  if (/tool|call|action|function|invoke|python|plugin|parameter/.test(name)) return isEnd ? 'noise' : 'call';
  if (name === 'channel' || name === 'start') return 'header';
  if (name === 'message') return 'message';
  if (/solution|answer|final/.test(name)) return 'wrapper';
  if (/eot|eom|eos|im_start|im_end|text|sentence|turn|user|assistant|system|return|^end$|pad|header/.test(name)) {
    if (name === 'end') return 'break';
    return name === 'assistant' || name.includes('begin') ? 'noise' : 'end';
  }
  return 'noise';
}

function tagAt(text: string, at: number, find: FindTool): Markup | undefined {
  TAG.lastIndex = at;
  const match = TAG.exec(text);
  if (match === null) return undefined;
  const [written, slash, name = '', more = ''] = match;
  // How some front ends store thoughts.
  if (name === 'details' && /\btype="(?:reasoning|thinking)"/.test(more)) {
    return { meaning: 'thought', text: written, closing: '</details>' };
  }
  const meaning = tagMeaning(name, slash === '/', more, find);
  return meaning && { meaning, text: written };
}

function tagMeaning(name: string, isClosing: boolean, more: string, find: FindTool): Meaning | undefined {
  if (THOUGHT.test(name) && !more.startsWith('=')) return isClosing ? 'thought-end' : 'thought';
  if (CALL_TAG.test(name)) return isClosing ? 'noise' : 'call';
  if (NAME_TAG.test(name) && more === '' && !isClosing) return 'call';
  if (/^(?:function|tool)$/i.test(name) && /=/.test(more)) return 'call';
  if (/^(?:function|parameter)$/i.test(name) && isClosing) return 'noise';
  if (RESULT_TAG.test(name)) return isClosing ? 'noise' : 'end';
  if (END_TAG.test(name)) return name === 's' && !isClosing ? 'noise' : isEndName(name) ? 'end' : 'noise';
  if (WRAPPER_TAG.test(name) && more === '') return 'wrapper';
  return find(name) !== undefined && !isClosing && more === '' ? 'call' : undefined;
}

const isEndName = (name: string) => !/^(?:bos|pad)$/i.test(name);

function bracketsAt(text: string, at: number): Markup | undefined {
  BRACKETS.lastIndex = at;
  const match = BRACKETS.exec(text);
  if (match === null) return undefined;
  const name = match[2] ?? match[4] ?? '';
  const isClosing = (match[1] ?? match[3]) === '/' || name.startsWith('END_');
  if (THOUGHT.test(name)) return { meaning: isClosing ? 'thought-end' : 'thought', text: match[0] };
  if (/^(?:END_)?(?:TOOL|FUNCTION)_(?:CALLS?|REQUEST)$/.test(name))
    return { meaning: isClosing ? 'noise' : 'call', text: match[0] };
  return name === 'INST' ? { meaning: isClosing ? 'noise' : 'end', text: match[0] } : undefined;
}

/** Beginnings of lines, without white space, that may be a call without markup. */
export function bareCallBeginnings(tools: readonly string[], argumentNames: readonly string[]): readonly string[] {
  const before = ['type', 'id', 'role', 'tool_plan', 'thought', 'thoughts'];
  const keys = [
    ...NAME_KEYS,
    ...ARGUMENT_KEYS,
    ...ENVELOPE_KEYS,
    ...ANSWER_KEYS,
    ...before,
    ...tools,
    ...argumentNames,
  ];
  const quoted = keys.flatMap((key) => [`"${key}"`, `'${key}'`]);
  const called = tools.flatMap((name) =>
    ['', 'functions.', 'default_api.', 'tools.'].map((before) => `${before}${name}`),
  );
  return [
    ...quoted.flatMap((key) => [`{${key}`, `[{${key}`]),
    ...called.flatMap((name) => [
      `${name}(`,
      `[${name}(`,
      `print(${name}(`,
      `${name}{`,
      `${name}:`,
      `${name}->{`,
      `${name}=>{`,
      `await${name}(`,
      `Calling${name}with{`,
      `>>>${name}`,
      `Tool:${name}`,
      `Function:${name}`,
    ]),
    ...tools.map((name) => `<${name}>`),
    ...[
      'Action:',
      'Toolcall:',
      'ToolCall:',
      'TOOL_CALL:',
      'tool_call:',
      'Functioncall:',
      'FunctionCall:',
      'FUNCTION_CALL:',
    ],
    'functools[',
    'commentaryto=',
    'assistantcommentaryto=',
    '<tool_call',
    '<function',
    '<invoke',
  ];
}
