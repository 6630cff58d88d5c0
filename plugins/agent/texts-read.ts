/** Lists the texts that a model read besides the rows of its results. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Preparation } from './preparation.ts';

/** The instructions, the conversation as it was prepared, and results without rows; requests for a correction are none. */
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
  return typeof value === 'object' && value !== null && 'rows' in value ? [] : [JSON.stringify(value)];
}
