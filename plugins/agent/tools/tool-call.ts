/** Reads the tool calls of a model: ids that can be sent back, a name, and arguments as a value. */
import { randomUUID } from 'node:crypto';
import { sizeOf } from '../size.ts';

/** A call of the model, its arguments read. */
export interface ToolCall {
  /** The id for clients: unique across all questions. */
  readonly toolCallId: string;
  /** The id for the model: unique in the question. */
  readonly modelCallId: string;
  readonly toolName: string;
  /** A string when the input is not JSON; every tool's schema refuses that. */
  readonly args: unknown;
}

/** Providers refuse longer ids and names in messages. */
const MAX_ID_CHARS = 64;

/**
 * Reads a call. `input` is JSON text, or a value that the provider has parsed. The model's own id is kept unless it is
 * missing, too long or in `usedIds`; the id is added to `usedIds`.
 */
export function toolCall(
  sent: { toolCallId: string; toolName: string; input: unknown },
  usedIds: Set<string>,
): ToolCall {
  const toolCallId = `call_${randomUUID()}`;
  const own = sent.toolCallId;
  const kept = own !== '' && own.length <= MAX_ID_CHARS && !usedIds.has(own);
  const modelCallId = kept ? own : toolCallId;
  usedIds.add(modelCallId);
  return { toolCallId, modelCallId, toolName: nameOf(sent.toolName), args: argumentsOf(sent.input) };
}

/** The tool's name in characters that providers accept in messages. */
function nameOf(sent: string): string {
  return sent.slice(0, MAX_ID_CHARS).replace(/[^\w.:/-]/g, '_') || 'unnamed';
}

/** Deeper arguments are refused, since serializing them could exhaust the stack. */
const MAX_ARGUMENT_DEPTH = 32;

function argumentsOf(input: unknown): unknown {
  const value = parsedArguments(input);
  return Number.isFinite(sizeOf(value, Number.MAX_SAFE_INTEGER, MAX_ARGUMENT_DEPTH)) ? value : 'nested too deep';
}

function parsedArguments(input: unknown): unknown {
  let value = input;
  // Twice, because some models encode the arguments twice.
  for (let pass = 0; pass < 2 && typeof value === 'string'; pass += 1) {
    if (value.trim() === '') return {};
    try {
      value = JSON.parse(value);
    } catch {
      return value;
    }
  }
  return withoutNulls(value ?? {});
}

/** Models write `null` for omitted optional arguments. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
