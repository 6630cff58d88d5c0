/** Collects the parts of a stored message, in the shape of the AI SDK's UI messages, which chat clients show as they are. */
import type { AgentEvent, Answer, Choice, StatementFacts, Verification } from '../agent/index.ts';

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

/** How the question ended; stored unless it was answered and nothing was noted. */
export interface OutcomePart {
  readonly type: 'data-outcome';
  readonly data: Pick<Answer, 'outcome' | 'notes' | 'choices'>;
}

/** The statement of the tool part with the same id; its rows are that part's. */
export interface StatementPart {
  readonly type: 'data-statement';
  readonly id: string;
  readonly data: StatementFacts;
}

export interface ChoicesPart {
  readonly type: 'data-choices';
  readonly id: 'choices';
  readonly data: { readonly choices: readonly Choice[] };
}

export interface SuggestionsPart {
  readonly type: 'data-suggestions';
  readonly id: 'suggestions';
  readonly data: { readonly suggestions: readonly string[] };
}

export interface VerifiedPart {
  readonly type: 'data-verified';
  readonly id: 'verified';
  readonly data: Verification;
}

export type MessagePart =
  | TextPart
  | ToolPart
  | OutcomePart
  | StatementPart
  | ChoicesPart
  | VerifiedPart
  | SuggestionsPart;

const PREVIEW_ROWS = 50;
/** Limit for a result's JSON, in characters. */
const PREVIEW_LENGTH = 64 * 1024;
/** Limit for a whole message, in characters: it is written anew while the answer grows. */
const MESSAGE_LENGTH = 512 * 1024;
/** About what a part takes besides its contents. */
const PART_LENGTH = 100;

/** An answer as it grows, with as much of it as a message may hold. */
export class AnswerParts {
  private readonly parts: MessagePart[] = [];
  private room = MESSAGE_LENGTH;

  /** Throws for what is no JSON, and then leaves everything as it was. */
  add(event: AgentEvent): void {
    if (event.type === 'text') this.addText(event.text);
    else if (event.type === 'tool-call') this.addCall(event);
    else if (event.type === 'tool-result') this.addResult(event);
    else if (event.type === 'finish') this.addOutcome(event.answer);
  }

  toJSON(): readonly MessagePart[] {
    return this.parts;
  }

  private addText(text: string): void {
    const kept = text.slice(0, Math.max(0, this.room));
    if (kept === '') return;
    const last = this.parts.at(-1);
    if (last?.type !== 'text') this.push({ type: 'text', text: kept }, kept.length);
    else {
      this.parts[this.parts.length - 1] = { type: 'text', text: (last as TextPart).text + kept };
      this.room -= kept.length;
    }
  }

  private addCall({ toolCallId, toolName, args }: Extract<AgentEvent, { type: 'tool-call' }>): void {
    const length = jsonLength(args) + toolCallId.length + toolName.length;
    const input = length <= this.room ? args : { truncated: true };
    if (this.room >= PART_LENGTH) {
      this.push({ type: `tool-${toolName}`, toolCallId, state: 'input-available', input }, Math.min(length, this.room));
    }
  }

  private addResult(event: Extract<AgentEvent, { type: 'tool-result' }>): void {
    const { toolCallId, result, error, statement } = event;
    const at = this.parts.findLastIndex((part) => 'toolCallId' in part && part.toolCallId === toolCallId);
    const call = this.parts[at];
    if (call === undefined) return;
    const room = Math.max(0, Math.min(PREVIEW_LENGTH, this.room));
    const ended =
      error === undefined
        ? ({ state: 'output-available', output: preview(result, room) } as const)
        : ({ state: 'output-error', errorText: error.slice(0, room) } as const);
    this.room -= jsonLength(ended);
    this.parts[at] = { ...(call as ToolPart), ...ended };
    if (statement !== undefined) this.pushWhole({ type: 'data-statement', id: toolCallId, data: statement });
  }

  private addOutcome({ outcome, notes, choices, verified, suggestions = [] }: Answer): void {
    if (outcome !== 'answered' || notes.length > 0) {
      const data = { outcome, notes, ...(choices !== undefined && { choices }) };
      this.push({ type: 'data-outcome', data }, jsonLength(data));
    }
    if (choices !== undefined) this.push({ type: 'data-choices', id: 'choices', data: { choices } }, 0);
    if (verified !== undefined) this.pushWhole({ type: 'data-verified', id: 'verified', data: verified });
    if (suggestions.length > 0) this.pushWhole({ type: 'data-suggestions', id: 'suggestions', data: { suggestions } });
  }

  /** Leaves out a part that there is no room for. */
  private pushWhole(part: MessagePart): void {
    const length = jsonLength(part);
    if (length <= this.room) this.push(part, length);
  }

  private push(part: MessagePart, length: number): void {
    this.parts.push(part);
    this.room -= length + PART_LENGTH;
  }
}

const jsonLength = (value: unknown) => (JSON.stringify(value) ?? 'null').length;

/** A result as it is kept: its first rows, and of one that is too long without them only its beginning. */
function preview(result: unknown, length: number): unknown {
  const rows = (result as { rows?: unknown } | null | undefined)?.rows;
  const table = Array.isArray(rows) ? { ...(result as object), rows: [] as unknown[] } : undefined;
  const text = JSON.stringify(table ?? result) ?? 'null';
  if (text.length > length) return { truncated: true, text: text.slice(0, length) };
  if (table === undefined || !Array.isArray(rows)) return result;
  let left = length - text.length;
  for (const original of rows.slice(0, PREVIEW_ROWS)) {
    const row = withoutInfinities(original);
    left -= jsonLength(row) + 1;
    if (left < 0) break;
    table.rows.push(row);
  }
  return table.rows.length < rows.length ? { ...table, truncated: true } : table;
}

/** JSON has no infinite numbers and writes `null` for them, which is another value. */
function withoutInfinities(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
  if (!Object.values(row).some(isInfinite)) return row;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isInfinite(value) ? String(value) : value]),
  );
}

/** What was said, without the tools. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [(part as TextPart).text] : []))
    .join('\n\n')
    .trim();
}
