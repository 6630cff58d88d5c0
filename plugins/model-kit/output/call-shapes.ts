/** Recognizes values that describe tool calls, in the forms that models write. */
import type { FindTool } from './tool-names.ts';

/** A call that a model wrote as text. */
export interface WrittenCall {
  readonly name: string;
  /** Mostly an object; a text when the model gave one argument without its name. */
  readonly args: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Keys under which models name the tool, its arguments, and several calls or the one call. */
export const NAME_KEYS = ['name', 'tool_name', 'tool', 'function_name', 'recipient_name', 'function', 'action', 'call'];
export const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'action_input'];
export const ENVELOPE_KEYS = ['tool_calls', 'tool_uses', 'function_calls', 'calls', 'tool_call', 'function_call'];

/** Keys under which models put an answer that they write as JSON. */
export const ANSWER_KEYS = ['answer', 'final_answer', 'response'];

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const keyIn = (value: Json, keys: readonly string[]) => keys.find((key) => Object.hasOwn(value, key));

/**
 * The calls that a value describes; empty when it is no description of calls. `isStrict`: only of tools that are
 * offered, for texts that may just as well be data.
 */
export function callsIn(value: unknown, find: FindTool, isStrict: boolean, depth = 4): WrittenCall[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) {
    const calls = value.map((item) => callsIn(item, find, isStrict, depth - 1));
    return calls.some((own) => own.length === 0) ? [] : calls.flat();
  }
  if (!isJson(value)) return [];
  const envelope = keyIn(value, ENVELOPE_KEYS);
  if (envelope !== undefined) return callsIn(value[envelope], find, isStrict, depth - 1);
  if (isJson(value.function)) return callsIn(value.function, find, isStrict, depth - 1);
  const nameKey = keyIn(value, NAME_KEYS);
  const name = nameKey === undefined ? undefined : value[nameKey];
  if (nameKey === undefined || typeof name !== 'string') return callByKey(value, find);
  const argumentsKey = keyIn(value, ARGUMENT_KEYS);
  const known = find(name, argumentsKey === undefined ? undefined : (value[argumentsKey] ?? {}));
  if (argumentsKey !== undefined) {
    const isCall = known !== undefined || !isStrict || isNothingBut(value, nameKey, argumentsKey);
    return isCall ? [{ name: known ?? name, args: value[argumentsKey] ?? {} }] : [];
  }
  const { [nameKey]: _, ...rest } = value;
  return known === undefined ? [] : [{ name: known, args: rest }];
}

/** Whether a value is a name with arguments and nothing else: a call, though of a tool that is not offered. */
function isNothingBut(value: Json, nameKey: string, argumentsKey: string): boolean {
  const isNamed = /name|tool/.test(nameKey) && /^[A-Za-z_][\w.:/-]{0,63}$/.test(String(value[nameKey]));
  const keys = new Set([nameKey, argumentsKey, 'type', 'id']);
  return isNamed && isJson(value[argumentsKey]) && Object.keys(value).every((key) => keys.has(key));
}

/** The answer that a value is: `{"answer": "…"}`, or a whole message; `undefined` for any other value. */
export function answerIn(value: unknown): string | undefined {
  if (Array.isArray(value) || isTextPart(value)) return textIn(value);
  if (!isJson(value)) return undefined;
  const { type, role, content, ...others } = value;
  const keys = Object.keys(others);
  if (role === 'assistant' && keys.length === 0) return textIn(content);
  const isTyped = type === undefined || ANSWER_KEYS.includes(String(type));
  const isAnswer = isTyped && role === undefined && content === undefined && keys.length === 1;
  const answer = isAnswer && ANSWER_KEYS.includes(keys[0] ?? '') ? others[keys[0] ?? ''] : undefined;
  return typeof answer === 'string' ? answer : undefined;
}

interface TextPart {
  readonly type: string;
  readonly text: string;
}

/** `{"type": "text", "text": "…"}` and nothing else. */
const isTextPart = (value: unknown): value is TextPart =>
  isJson(value) &&
  (value.type === 'text' || value.type === 'output_text') &&
  typeof value.text === 'string' &&
  Object.keys(value).length === 2;

/** The text of a message's content: itself, one part, or a list of them. */
function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.length > 0 && parts.every(isTextPart) ? parts.map(({ text }) => text).join('') : undefined;
}

/** `{"executeSQL": {"sql": "…"}}`: the tool is the only key. */
function callByKey(value: Json, find: FindTool): WrittenCall[] {
  const keys = Object.keys(value);
  const name = keys.length === 1 ? find(keys[0] ?? '') : undefined;
  const args = value[keys[0] ?? ''];
  return name !== undefined && isJson(args) ? [{ name, args }] : [];
}
