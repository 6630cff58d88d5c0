/** Reads the tool calls of a model: ids that can be sent back, the tool that is meant, and arguments as a value. */
import { randomUUID } from 'node:crypto';
import { sizeOf } from '../size.ts';
import { callsIn } from './call-shapes.ts';
import { withoutEntities } from './entities.ts';
import { readValue } from './lenient-value.ts';
import type { FindTool } from './tool-names.ts';
import { writtenCalls } from './written-calls.ts';

/** A call of the model, its arguments read. */
export interface ToolCall {
  /** The id for clients: unique across all questions. */
  readonly toolCallId: string;
  /** The id for the model: unique in the question. */
  readonly modelCallId: string;
  readonly toolName: string;
  /** No object when the arguments cannot be read; every tool's schema refuses that. */
  readonly args: unknown;
}

/** A call as the model sent it. */
export interface SentCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON text, or a value that the provider has parsed. */
  readonly input: unknown;
}

/** Providers refuse longer ids and names in messages. */
const MAX_ID_CHARS = 64;
/** Deeper arguments are refused, since serializing them could exhaust the stack. */
const MAX_ARGUMENT_DEPTH = 32;
/** Calls in the arguments of one call. */
const MAX_CALLS_IN_ARGUMENTS = 64;

/**
 * Reads what was sent as one call: mostly one, but several where a server puts the arguments of all calls together. The
 * model's own id is kept unless it is missing, too long or in `usedIds`; ids are added to `usedIds`.
 */
export function toolCalls(sent: SentCall, usedIds: Set<string>, find: FindTool): ToolCall[] {
  return argumentsOf(sent.input).flatMap((args, index) => {
    const known = find(sent.toolName, args);
    // Some models call a tool that stands for several calls, and name the tools inside: `multi_tool_use.parallel`; some
    // write the whole call in place of the name.
    const inner =
      known === undefined
        ? [...callsIn(args, find, true), ...writtenCalls(sent.toolName, find, true).calls].slice(
            0,
            MAX_CALLS_IN_ARGUMENTS,
          )
        : [];
    const calls = inner.length > 0 ? inner : [{ name: known ?? nameOf(sent.toolName), args }];
    return calls.map((call, at) => {
      const toolCallId = `call_${randomUUID()}`;
      const own = index === 0 && at === 0 ? sent.toolCallId : '';
      const kept = own !== '' && own.length <= MAX_ID_CHARS && !usedIds.has(own);
      const modelCallId = kept ? own : toolCallId;
      usedIds.add(modelCallId);
      return { toolCallId, modelCallId, toolName: call.name, args: call.args };
    });
  });
}

/** Whether the arguments are complete, so that the call may be run although a limit ended the reply. */
export function isComplete({ input }: SentCall): boolean {
  if (typeof input !== 'string') return true;
  try {
    return typeof JSON.parse(input) === 'object';
  } catch {
    return false;
  }
}

/** Tools that models of some agents were trained to answer with. */
const ANSWER_TOOL = /^(?:functions\.)?(?:final_?(?:answer|response)|answer|respond|reply|respond_to_user)$/i;

/** The answer that a model gives as a call with one text; `undefined` for any other call. */
export function answerInCall({ toolName, input }: SentCall): string | undefined {
  if (!ANSWER_TOOL.test(toolName)) return undefined;
  const [args, ...more] = argumentsOf(input);
  const [text, ...others] = typeof args === 'object' && args !== null ? Object.values(args) : [];
  return more.length === 0 && others.length === 0 && typeof text === 'string' ? text : undefined;
}

/** The tool's name in characters that providers accept in messages. */
function nameOf(sent: string): string {
  const name = sent.slice(0, MAX_ID_CHARS).replace(/[^\w-]/g, '_');
  // Packages look names up in objects, where each of these is something else.
  return name === '' || name in {} ? 'unnamed' : name;
}

/** The arguments of each call. An empty list instead of arguments that are nested too deep. */
function argumentsOf(input: unknown): unknown[] {
  return parsedArguments(input).map((value) =>
    Number.isFinite(sizeOf(value, Number.MAX_SAFE_INTEGER, MAX_ARGUMENT_DEPTH)) ? value : [],
  );
}

function parsedArguments(input: unknown): unknown[] {
  let value = input;
  // Twice, because some models encode the arguments twice.
  for (let pass = 0; pass < 2 && typeof value === 'string'; pass += 1) {
    if (value.trim() === '') return [{}];
    try {
      value = JSON.parse(value);
    } catch {
      const read = readObjects(value as string);
      return read.length > 0 ? read : [value];
    }
  }
  return [cleaned(value ?? {})];
}

/** What may stand in front of arguments that are not plain JSON. */
const IN_FRONT = /^\s*(?:`{3,}[\w-]*\s*|<[^<>]{1,64}>\s*|[\w ]{1,40}:?\s*(?=\{))*/;

/** Objects that are nearly JSON, one after another; what follows the last one does not count. */
function readObjects(sent: string): unknown[] {
  // All quotation marks are escaped where a server has escaped the text once more.
  const unescaped = /^\s*\{\s*\\"/.test(sent) ? sent.replaceAll('\\"', '"') : sent;
  const text = /^\s*\{\s*&quot;/.test(sent) ? withoutEntities(sent) : unescaped;
  const found = new Map<string, unknown>();
  let at = IN_FRONT.exec(text)?.[0].length ?? 0;
  while (text[at] === '{' && found.size < MAX_CALLS_IN_ARGUMENTS) {
    const { found: read, end } = readValue(text, at);
    if (read === undefined) break;
    // The same arguments twice are sent by servers that repeat what they have streamed.
    found.set(JSON.stringify(read.value), cleaned(read.value));
    at = end;
    while (/[\s,;]/.test(text[at] ?? '')) at += 1;
  }
  if (found.size > 1) found.delete('{}');
  return [...found.values()];
}

/** Models write `null` for omitted optional arguments; halves of characters are what a cut text leaves. */
function cleaned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(given.map(([name, item]) => [name, typeof item === 'string' ? item.toWellFormed() : item]));
}
