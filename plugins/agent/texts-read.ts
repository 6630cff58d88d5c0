/** Lists the texts that a model read besides the rows of its results. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Preparation } from './preparation.ts';
import { saidInAnswer } from './tools/table-description.ts';

/**
 * The instructions, the conversation as it was prepared, results without rows, and what the answer has to say of others;
 * requests for a correction are none.
 */
export function textsRead(prepared: Preparation, messages: readonly LanguageModelV4Message[]): string[] {
  return [
    prepared.system.content,
    ...prepared.messages.flatMap(({ role, content }) => (role === 'user' ? content.flatMap(textWithoutRows) : [])),
    ...messages.flatMap(({ role, content }) => (role === 'tool' ? content.flatMap(textWithoutRows) : [])),
  ];
}

type MessagePart = Exclude<LanguageModelV4Message['content'], string>[number];

function textWithoutRows(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-result' || part.output.type !== 'json') return [];
  const { value } = part.output;
  if (typeof value !== 'object' || value === null || !('rows' in value)) return [JSON.stringify(value)];
  const { notes } = value as { readonly notes?: unknown };
  return Array.isArray(notes) ? saidInAnswer(notes.map(String)) : [];
}
