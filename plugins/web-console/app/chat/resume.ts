/** Takes an answer up again whose connection was lost, and stops one on whichever server gives it. */
import type { Chat } from '@ai-sdk/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/failure.ts';
import { type ChatMessage, endOf } from './message.ts';
import { readLast, streamPath } from './stored-chat.ts';

/** Before each attempt, in milliseconds: a server that restarts is replaced meanwhile. */
const WAITS_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** The connection was lost, as opposed to an answer that failed. */
const isLost = (error: Error | undefined): boolean =>
  error instanceof TypeError || (error instanceof ApiError && error.status === 0);

/** An answer that other servers may have goes on; of a question that may not have arrived, people are told at once. */
const attemptsFor = ({ lastMessage }: Chat<ChatMessage>) => (lastMessage?.role === 'assistant' ? WAITS_MS.length : 1);

const isOpen = ({ lastMessage }: Chat<ChatMessage>) =>
  lastMessage?.role === 'user' || (lastMessage !== undefined && endOf(lastMessage).outcome === undefined);

/** It was read from storage while it was being given. */
const isShownAsRunning = ({ lastMessage, status }: Chat<ChatMessage>) =>
  lastMessage?.metadata?.stored?.status === 'running' && status === 'ready';

export interface Resuming {
  /** The connection was lost, and the answer is being taken up again. */
  readonly isResuming: boolean;
  /** Ends the answer, here and on the server. */
  readonly stop: () => void;
}

interface ChatState {
  readonly status: Chat<ChatMessage>['status'];
  readonly error: Error | undefined;
}

/** `onLost` is told why there is no more of the answer. */
export function useResume(
  chat: Chat<ChatMessage>,
  { status, error }: ChatState,
  isResumable: boolean,
  onLost: (error: Error) => void,
): Resuming {
  const [failed, setFailed] = useState(0);
  const tried = useRef<Error>(undefined);
  const stops = useRef(0);
  const isResuming = isResumable && isLost(error) && failed < attemptsFor(chat);

  const resume = useCallback(
    async (lost?: Error) => {
      const stopsBefore = stops.current;
      await chat.resumeStream();
      // It goes on, or it was stopped meanwhile, of which the server may not know yet.
      if (chat.status !== 'ready' || !isOpen(chat) || stops.current > stopsBefore) return;
      const isShown = await readLast(chat).catch(() => false);
      if (!isShown && lost !== undefined) onLost(lost);
    },
    [chat, onLost],
  );

  // Each attempt that fails has an error of its own.
  useEffect(() => {
    if (!isResuming || error === undefined || tried.current === error) return undefined;
    const timer = setTimeout(() => {
      tried.current = error;
      void resume(error).then(() => setFailed((before) => before + 1));
    }, WAITS_MS[failed]);
    return () => clearTimeout(timer);
  }, [isResuming, error, failed, resume]);

  useEffect(() => {
    if (status === 'streaming') setFailed(0);
  }, [status]);

  useEffect(() => {
    if (isResumable && isShownAsRunning(chat)) void resume();
  }, [chat, isResumable, resume]);

  const stop = useCallback(() => {
    stops.current += 1;
    if (isLost(chat.error)) chat.clearError();
    void chat.stop();
    // Where nothing is stored, the connection that is closed ends it.
    if (!isResumable) return;
    const stopped = call(streamPath(chat.id), { method: 'DELETE' });
    stopped.then(() => (isShownAsRunning(chat) ? readLast(chat) : undefined)).catch(() => {});
  }, [chat, isResumable]);
  return { isResuming, stop };
}
