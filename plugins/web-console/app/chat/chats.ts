/** Keeps the chats of this tab: their answers go on while another page is shown. */
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { ApiError } from '../api/failure.ts';
import { fetchChat } from './fetch-chat.ts';
import { type ChatMessage, isStored, withoutRows } from './message.ts';

/** Chats whose messages are in memory; those that were used the longest time ago are read again when they are needed. */
const MAX_CHATS = 20;
/** Messages that go along with a question where the server stores none. */
const MAX_SENT = 20;

/** A question that got no answer, such as one that was refused as too long, is not sent with the next one. */
function sentMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (messages.some(isStored)) return messages.slice(-1);
  const isSaid = ({ role }: ChatMessage, at: number) => role !== 'user' || messages[at + 1]?.role !== 'user';
  return messages.filter(isSaid).slice(-MAX_SENT).map(withoutRows);
}

class ConsoleTransport extends DefaultChatTransport<ChatMessage> {
  /** Of a conversation that the server has not got, nothing is running. */
  override async reconnectToStream(...options: Parameters<DefaultChatTransport<ChatMessage>['reconnectToStream']>) {
    try {
      return await super.reconnectToStream(...options);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }
}

export class Chats {
  readonly #chats = new Map<string, Chat<ChatMessage>>();
  /** Questions that were typed and not asked, by chat; for a new one, whose name changes, under the empty name. */
  readonly #drafts = new Map<string, string>();
  /** Connection to ask; the server's main one where nobody chose. */
  connectionId: string | undefined;
  /** The server stores conversations: an answer goes on without its connection, and is taken up again. */
  isResumable = false;

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
            ...(this.isResumable && { resumable: true }),
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

  keepDraft({ id, messages }: Chat<ChatMessage>, text: string): void {
    if (text !== '') this.#drafts.set(messages.length === 0 ? '' : id, text);
  }

  /** What was kept, once. */
  takeDraft({ id, messages }: Chat<ChatMessage>): string {
    const name = messages.length === 0 ? '' : id;
    const draft = this.#drafts.get(name) ?? '';
    this.#drafts.delete(name);
    return draft;
  }

  delete(id: string): void {
    const chat = this.#chats.get(id);
    this.#chats.delete(id);
    this.#drafts.delete(id);
    void chat?.stop();
  }
}
