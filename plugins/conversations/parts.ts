/** The parts of a stored message: those of the AI SDK's UI messages, so that a chat client shows them as they are. */
import type { AgentEvent } from '../agent/events.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolPart {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly state: 'input-available' | 'output-available';
  readonly input: unknown;
  /** The tool's result; of rows, the first ones. */
  readonly output?: unknown;
}

export type MessagePart = TextPart | ToolPart;

const PREVIEW_ROWS = 50;
const PREVIEW_BYTES = 64 * 1024;

/** The parts with what the event adds; nothing is changed in place. */
export function withEvent(parts: readonly MessagePart[], event: AgentEvent): readonly MessagePart[] {
  switch (event.type) {
    case 'text': {
      const last = parts.at(-1);
      if (last?.type !== 'text') return [...parts, { type: 'text', text: event.text }];
      return [...parts.slice(0, -1), { type: 'text', text: (last as TextPart).text + event.text }];
    }
    case 'tool-call': {
      const { toolCallId, toolName, args: input } = event;
      return [...parts, { type: `tool-${toolName}`, toolCallId, state: 'input-available', input }];
    }
    case 'tool-result': {
      const { toolCallId, result } = event;
      return parts.map((part) =>
        part.type !== 'text' && (part as ToolPart).toolCallId === toolCallId
          ? { ...(part as ToolPart), state: 'output-available', output: preview(result) }
          : part,
      );
    }
    case 'finish':
      return parts;
  }
}

/** A result as it is kept: its first rows, and of anything else that is too long only that it was. */
function preview(result: unknown): unknown {
  const { rows } = (result ?? {}) as { rows?: unknown };
  let kept = result;
  if (Array.isArray(rows)) {
    let count = Math.min(rows.length, PREVIEW_ROWS);
    let size = 0;
    for (let index = 0; index < count; index += 1) {
      size += JSON.stringify(rows[index] ?? null).length;
      if (size > PREVIEW_BYTES) count = index;
    }
    if (count < rows.length) kept = { ...(result as object), rows: rows.slice(0, count), truncated: true };
    return kept;
  }
  const text = JSON.stringify(result) ?? 'null';
  return text.length <= PREVIEW_BYTES ? result : { truncated: true, text: text.slice(0, PREVIEW_BYTES) };
}

/** What was said, without the tools. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [(part as TextPart).text] : []))
    .join('\n\n')
    .trim();
}
