/** Makes the parts of a stream, as models of the AI SDK give them, of the pieces of a Chat Completions reply. */
import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Message, Reply } from './chat-filter.ts';
import type { ReasoningField } from './reasoning-field.ts';

type Part = LanguageModelV4StreamPart;
type Kind = 'text' | 'reasoning';

export interface ChatPartsInit {
  readonly warnings: LanguageModelV4GenerateResult['warnings'];
  readonly reasoning: Pick<ReasoningField, 'found'>;
  /** What the provider package makes of a whole reply. */
  convert(reply: Reply): Promise<LanguageModelV4GenerateResult>;
}

/** The texts of a message become parts at once, its calls by way of `convert`, as the end of the reply does. */
export async function* chatParts(
  replies: AsyncIterable<readonly Reply[]>,
  { warnings, reasoning, convert }: ChatPartsInit,
): AsyncGenerator<readonly Part[], void> {
  yield [{ type: 'stream-start', warnings }];
  const blocks = new Blocks();
  const end: Reply = { message: {}, finish: undefined, usage: undefined };
  for await (const pieces of replies) {
    const parts: Part[] = [];
    for (const { message, finish, usage } of pieces) {
      reasoning.found(message);
      end.finish = finish ?? end.finish;
      end.usage = usage ?? end.usage;
      if (message.refusal !== undefined) end.message.refusal = message.refusal;
      parts.push(...blocks.add('reasoning', message.reasoning_content ?? message.reasoning));
      for (const { type, text } of await textsOf(message, convert)) parts.push(...blocks.add(type, text));
      parts.push(...blocks.add('text', message.refusal));
      if (message.tool_calls === undefined) continue;
      const { content } = await convert({ message: { tool_calls: message.tool_calls }, finish, usage: undefined });
      parts.push(...blocks.end(), ...content.filter((part) => part.type === 'tool-call'));
    }
    if (parts.length > 0) yield parts;
  }
  const { finishReason, usage, providerMetadata } = await convert(end);
  yield [
    ...blocks.end(),
    { type: 'finish', finishReason, usage, ...(providerMetadata !== undefined && { providerMetadata }) },
  ];
}

async function textsOf(
  { content }: Message,
  convert: ChatPartsInit['convert'],
): Promise<{ type: Kind; text: string }[]> {
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const whole = await convert({ message: { content }, finish: undefined, usage: undefined });
  return whole.content.filter((part) => part.type === 'text' || part.type === 'reasoning');
}

/** Begins and ends the runs of parts of one kind. */
class Blocks {
  #open: Kind | undefined;

  add(kind: Kind, delta: string | undefined): Part[] {
    if (delta === undefined || delta === '') return [];
    const ended = this.#open === kind ? [] : this.end();
    const begun: Part[] = this.#open === kind ? [] : [{ type: `${kind}-start`, id: kind }];
    this.#open = kind;
    return [...ended, ...begun, { type: `${kind}-delta`, id: kind, delta }];
  }

  end(): Part[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ type: `${open}-end`, id: open }];
  }
}
