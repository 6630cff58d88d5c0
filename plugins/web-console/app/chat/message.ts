/** Reads the parts of chat messages: what was said, which steps were taken, and what came of them. */
import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';
import type { Choice, Note, ResultTable, StatementFacts } from '../api/query-result.ts';

export interface AnswerMetadata {
  readonly outcome?: 'answered' | 'clarify' | 'declined' | 'failed';
  readonly notes?: readonly Note[];
  readonly choices?: readonly Choice[];
  readonly pendingActions?: readonly { readonly id: string; readonly summary: string }[];
  /** Set for a message that was read from storage. */
  readonly stored?: { readonly status: 'complete' | 'running' | 'interrupted'; readonly rating?: 'good' | 'bad' };
  /** Where the answer is stored. */
  readonly conversationId?: string;
}

export type ChatMessage = UIMessage<AnswerMetadata>;

/** The server has the conversation that it belongs to. */
export const isStored = ({ metadata }: ChatMessage): boolean =>
  metadata?.conversationId !== undefined || metadata?.stored !== undefined;

/** A question with its answer, which comes a moment later. */
export interface Turn {
  readonly question: ChatMessage;
  readonly answer: ChatMessage | undefined;
}

/** One call of a tool. */
export interface Step {
  readonly id: string;
  readonly tool: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly input: unknown;
  readonly table: ResultTable | undefined;
  readonly error: string | undefined;
}

export function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const turns: { question: ChatMessage; answer: ChatMessage | undefined }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user') turns.push({ question: message, answer: undefined });
    else if (last !== undefined) last.answer = message;
  }
  return turns;
}

export function textOf({ parts }: ChatMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function isTable(output: unknown): output is ResultTable {
  const { columns, rows } = (output ?? {}) as Partial<ResultTable>;
  return Array.isArray(columns) && Array.isArray(rows);
}

type ToolPart = ToolUIPart | DynamicToolUIPart;

function stepOf(part: ToolPart): Step {
  const { toolCallId: id, state, input, output, errorText } = part;
  return {
    id,
    tool: getToolName(part),
    state: state === 'output-error' ? 'failed' : state === 'output-available' ? 'done' : 'running',
    input,
    table: isTable(output) ? output : undefined,
    error: errorText,
  };
}

export function stepsOf({ parts }: ChatMessage): Step[] {
  return parts.filter(isToolUIPart).map(stepOf);
}

function dataOf<T>({ parts }: ChatMessage, type: `data-${string}`): T[] {
  return parts.flatMap((part) => (part.type === type ? [(part as { data: T }).data] : []));
}

export function statementOf(message: ChatMessage, toolCallId: string): StatementFacts | undefined {
  return dataOf<StatementFacts>(message, 'data-statement').findLast((facts) => facts.toolCallId === toolCallId);
}

export function suggestionsOf(message: ChatMessage): readonly string[] {
  return dataOf<{ suggestions: readonly string[] }>(message, 'data-suggestions').at(-1)?.suggestions ?? [];
}

/** The verified query that answered. */
export interface Verification {
  readonly name: string;
  readonly by: string;
  readonly at: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export const verificationOf = (message: ChatMessage): Verification | undefined =>
  dataOf<Verification>(message, 'data-verified').at(-1);

/** How the answer ended: as the stream said at its end, or as it was stored. */
export function endOf(message: ChatMessage): Pick<AnswerMetadata, 'outcome' | 'notes' | 'choices'> {
  const { outcome, notes, choices, stored } = message.metadata ?? {};
  if (outcome !== undefined) return { outcome, notes, choices } as AnswerMetadata;
  const data = dataOf<AnswerMetadata>(message, 'data-outcome').at(-1);
  if (data !== undefined) return data;
  return stored?.status === 'complete' ? { outcome: 'answered' } : {};
}

/** The question and answer texts, and the last statement: what a server that stores nothing needs for a follow-up. */
export function withoutRows(message: ChatMessage): ChatMessage {
  const parts = message.parts.flatMap((part): unknown[] => {
    if (!isToolUIPart(part)) return part.type === 'text' ? [part] : [];
    return [{ ...part, output: isTable(part.output) ? { ...part.output, rows: [] } : undefined }];
  });
  return { ...message, parts: parts as ChatMessage['parts'] };
}
