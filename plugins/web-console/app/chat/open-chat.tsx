/** Opens a conversation: a new one, one that this tab has, or one that was stored earlier. */

import type { Chat } from '@ai-sdk/react';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/failure.ts';
import { useConversation, useHasArea, useMe } from '../api/queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Loading } from '../ui/loading.tsx';
import { MissingPage } from '../ui/missing-page.tsx';
import type { Chats } from './chats.ts';
import type { ChatMessage } from './message.ts';
import { messageOf } from './stored-chat.ts';

export interface OpenChatProps {
  readonly id: string;
  /** Nothing has been asked in it yet. */
  readonly isNew: boolean;
  readonly chats: Chats;
  readonly children: (chat: Chat<ChatMessage>) => ReactNode;
}

/** The chat of this tab, or else of the server. */
export function OpenChat({ id, isNew, chats, children }: OpenChatProps): ReactNode {
  const [chat, setChat] = useState(() => chats.get(id) ?? (isNew ? chats.create(id) : undefined));
  const isKnown = useMe().data !== undefined;
  const hasHistory = useHasArea('history');
  const { data, error, refetch } = useConversation(id, hasHistory && chat === undefined);
  useEffect(() => {
    if (data !== undefined) setChat((known) => known ?? chats.create(id, data.messages.map(messageOf)));
  }, [data, id, chats]);
  if (chat !== undefined) return children(chat);
  if (!isKnown) return <Loading />;
  if (!hasHistory || (error instanceof ApiError && [400, 404].includes(error.status))) return <MissingPage />;
  return error === null ? <Loading /> : <Alert error={error} onRetry={() => void refetch()} />;
}
