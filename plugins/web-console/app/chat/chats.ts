/** Keeps the chats of this tab: their answers go on while another page is shown. */
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { send } from '../api/client.ts';
import { failureOf } from '../api/failure.ts';
import { type ChatMessage, withoutRows } from './message.ts';

/** Chats whose messages are in memory; those that were used the longest time ago are read again when they are needed. */
const MAX_CHATS = 20;
/** Messages that go along with a question where the server stores none. */
const MAX_SENT = 20;

async function fetchChat(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await send(String(input), init);
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** A server that stores the conversation knows what was said. */
const isStored = ({ metadata }: ChatMessage) =>
  metadata?.conversationId !== undefined || metadata?.stored !== undefined;

function sentMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.some(isStored) ? messages.slice(-1) : messages.slice(-MAX_SENT).map(withoutRows);
}

class ConsoleTransport extends DefaultChatTransport<ChatMessage> {
  /** An answer that broke off is read from storage, and not resumed. */
  override async reconnectToStream(): Promise<null> {
    return null;
  }
}

export class Chats {
  readonly #chats = new Map<string, Chat<ChatMessage>>();
  /** Connection to ask; the server's main one where nobody chose. */
  connectionId: string | undefined;

  get(id: string): Chat<ChatMessage> | undefined {
    return this.#chats.get(id);
  }

  /** `id` names the conversation on the server as well. */
  create(id: string, messages: ChatMessage[] = []): Chat<ChatMessage> {
    const chat = new Chat<ChatMessage>({
      id,
      messages,
      generateId: () => crypto.randomUUID(),
      transport: new ConsoleTransport({
        api: '/api/v1/chat?stream=ui',
        fetch: fetchChat,
        prepareSendMessagesRequest: ({ messages: all, trigger, messageId }) => ({
          body: {
            id,
            trigger,
            messageId,
            messages: sentMessages(all),
            ...(this.connectionId !== undefined && { connectionId: this.connectionId }),
          },
        }),
      }),
    });
    for (const [known, { status }] of this.#chats) {
      if (this.#chats.size < MAX_CHATS) break;
      if (status === 'ready' || status === 'error') this.#chats.delete(known);
    }
    this.#chats.set(id, chat);
    return chat;
  }

  delete(id: string): void {
    const chat = this.#chats.get(id);
    this.#chats.delete(id);
    void chat?.stop();
  }
}
