/** Reads the tool calls of a model: ids that can be sent back, a name, and arguments as a value. */
import { randomUUID } from 'node:crypto';
import { sizeOf } from '../size.ts';

/** A call of the model, its arguments read. */
export interface ToolCall {
  /** As clients know it: never the same again. */
  readonly toolCallId: string;
  /** As the model knows it: unique in the question. */
  readonly modelCallId: string;
  readonly toolName: string;
  /** Text when it is not JSON, which the tool's schema refuses. */
  readonly args: unknown;
}

/** Providers refuse longer ids and names in the conversation that is sent back to them. */
const LONGEST_ID_CHARS = 64;

/**
 * Reads a call: `input` is JSON text, or already parsed by a lenient provider. The model's own id is kept for the model,
 * unless it is missing, too long or in `usedIds`, to which it is added.
 */
export function toolCall(
  sent: { toolCallId: string; toolName: string; input: unknown },
  usedIds: Set<string>,
): ToolCall {
  const toolCallId = `call_${randomUUID()}`;
  const own = sent.toolCallId;
  const kept = own !== '' && own.length <= LONGEST_ID_CHARS && !usedIds.has(own);
  const modelCallId = kept ? own : toolCallId;
  usedIds.add(modelCallId);
  return { toolCallId, modelCallId, toolName: nameOf(sent.toolName), args: argumentsOf(sent.input) };
}

/** A name that can be sent back, whatever the model called. */
function nameOf(sent: string): string {
  return sent.slice(0, LONGEST_ID_CHARS).replace(/[^\w.:/-]/g, '_') || 'unnamed';
}

/** No tool has arguments so deep; deeper ones cannot even be written down again. */
const DEEPEST_ARGUMENTS = 32;

function argumentsOf(input: unknown): unknown {
  const value = parsedArguments(input);
  return Number.isFinite(sizeOf(value, Number.MAX_SAFE_INTEGER, DEEPEST_ARGUMENTS)) ? value : 'nested too deep';
}

function parsedArguments(input: unknown): unknown {
  let value = input;
  // Twice: some models encode the arguments a second time.
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

/** Models write `null` for an optional argument that they leave out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
