/** The parts of a stored message: those of the AI SDK's UI messages, so that a chat client shows them as they are. */
import type { AgentEvent } from '../agent/events.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolPart {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly state: 'input-available' | 'output-available' | 'output-error';
  readonly input: unknown;
  /** The tool's result; of rows, the first ones. */
  readonly output?: unknown;
  /** Why the call failed. */
  readonly errorText?: string;
}

export type MessagePart = TextPart | ToolPart;

const PREVIEW_ROWS = 50;
/** Of the result's JSON, in characters. */
const PREVIEW_LENGTH = 64 * 1024;

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
      const { toolCallId, result, error } = event;
      const ended =
        error === undefined
          ? ({ state: 'output-available', output: preview(result) } as const)
          : ({ state: 'output-error', errorText: error } as const);
      return parts.map((part) =>
        part.type !== 'text' && (part as ToolPart).toolCallId === toolCallId
          ? { ...(part as ToolPart), ...ended }
          : part,
      );
    }
    case 'finish':
      return parts;
  }
}

/** A result as it is kept: its first rows, and of one that is too long without them only its beginning. */
function preview(result: unknown): unknown {
  const rows = (result as { rows?: unknown } | null | undefined)?.rows;
  const table = Array.isArray(rows) ? { ...(result as object), rows: [] as unknown[] } : undefined;
  const text = JSON.stringify(table ?? result) ?? 'null';
  if (text.length > PREVIEW_LENGTH) return { truncated: true, text: text.slice(0, PREVIEW_LENGTH) };
  if (table === undefined || !Array.isArray(rows)) return result;
  let left = PREVIEW_LENGTH - text.length;
  for (const row of rows.slice(0, PREVIEW_ROWS)) {
    left -= (JSON.stringify(row) ?? 'null').length + 1;
    if (left < 0) break;
    table.rows.push(row);
  }
  return table.rows.length < rows.length ? { ...table, truncated: true } : table;
}

/** What was said, without the tools. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [(part as TextPart).text] : []))
    .join('\n\n')
    .trim();
}
