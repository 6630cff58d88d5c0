/** Reads a conversation that the server has stored, and asks its last question again without deleting what is not shown. */
import type { Chat } from '@ai-sdk/react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/failure.ts';
import type { StoredMessage } from '../api/queries.ts';
import { type ChatMessage, isStored, textOf } from './message.ts';

export function messageOf({ id, role, content, status, feedback }: StoredMessage): ChatMessage {
  const stored = { status, ...(feedback && { rating: feedback.rating }) };
  return { id, role, parts: content.parts as ChatMessage['parts'], metadata: { stored } };
}

const pathOf = (id: string) => `/api/v1/conversations/${encodeURIComponent(id)}`;

/** Where the stream of a running answer is. */
export const streamPath = (id: string) => `/api/v1/chat/${encodeURIComponent(id)}/stream`;

/** Shows what the server has of the last question. `false`: it has not got it. Throws `ApiError`. */
export async function readLast(chat: Chat<ChatMessage>): Promise<boolean> {
  const asked = chat.messages.findLast(({ role }) => role === 'user');
  const { messages } = await call<{ messages: StoredMessage[] }>(pathOf(chat.id));
  const stored = messages.map(messageOf);
  const known = stored.findLast(({ role }) => role === 'user');
  if (asked === undefined || known === undefined || textOf(known) !== textOf(asked)) return false;
  chat.messages = stored;
  return true;
}

/** Shows what the server has by now. Throws `ApiError`. */
export async function readAnew(chat: Chat<ChatMessage>): Promise<void> {
  const { messages } = await call<{ messages: StoredMessage[] }>(pathOf(chat.id));
  chat.messages = messages.map(messageOf);
}

/** Whether the newest that the server has is this question with an answer of no word: nothing is lost with that. */
async function isLeftOpen(chat: Chat<ChatMessage>, question: ChatMessage): Promise<boolean> {
  try {
    const { messages } = await call<{ messages: StoredMessage[] }>(`${pathOf(chat.id)}?limit=2`);
    const [asked, answer] = messages.map(messageOf);
    if (asked?.role !== 'user' || textOf(asked) !== textOf(question)) return false;
    return answer?.metadata?.stored?.status === 'interrupted' && answer.parts.length === 0;
  } catch {
    // What is not stored, or cannot be read, is asked anew.
    return false;
  }
}

/** Whether the server has nothing that would be lost with the answer: neither a later message nor one still to come. */
async function isNewest(chat: Chat<ChatMessage>, answer: ChatMessage): Promise<boolean> {
  try {
    const { messages } = await call<{ messages: StoredMessage[] }>(`${pathOf(chat.id)}?limit=1`);
    const newest = messages.at(-1);
    if (newest === undefined) return true;
    // The server may not know yet of an answer that this tab has stopped itself.
    const isElsewhere = newest.status === 'running' && answer.metadata?.stored !== undefined;
    return newest.id === answer.id && !isElsewhere;
  } catch (error) {
    // It was deleted, and nothing more can be.
    if (error instanceof ApiError && error.status === 404) return true;
    throw error;
  }
}

const isBusy = ({ status }: Chat<ChatMessage>) => status === 'submitted' || status === 'streaming';

/**
 * Asks the last question again, in place of its answer. `false` where the conversation has gone on elsewhere: then it is
 * shown as it is now. Throws `ApiError`.
 */
export async function askAgain(chat: Chat<ChatMessage>): Promise<boolean> {
  const last = chat.lastMessage;
  if (last === undefined) return true;
  if (last.role === 'user') {
    const isLeft = await isLeftOpen(chat, last);
    if (chat.lastMessage?.id !== last.id || isBusy(chat)) return true;
    // A question that the server has not got is a new one: what answers an earlier one of the same words stays.
    void (isLeft ? chat.regenerate() : chat.sendMessage({ text: textOf(last), messageId: last.id }));
    return true;
  }
  if (isStored(last) && !(await isNewest(chat, last))) {
    await readAnew(chat);
    return false;
  }
  // Another question may have been asked meanwhile.
  if (chat.lastMessage?.id === last.id) void chat.regenerate();
  return true;
}
