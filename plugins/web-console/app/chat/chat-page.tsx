/** The page to ask questions in: the box, the answers so far, and before the first question what could be asked. */
import { type Chat, useChat } from '@ai-sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { refreshConversations, useConnections, useConversations, useHasArea, useSuggestions } from '../api/queries.ts';
import { chatHref } from '../shell/pages.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { LazyPart } from '../ui/lazy-part.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ShownText } from '../ui/shown-text.tsx';
import type { AnswerProps } from './answer.tsx';
import styles from './chat-page.module.css';
import type { Chats } from './chats.ts';
import { type ChatMessage, endOf, stepsOf, textOf, turnsOf } from './message.ts';
import { QuestionBox } from './question-box.tsx';
import { useResume } from './resume.ts';
import { askAgain, readAnew } from './stored-chat.ts';

/** Between two updates of a growing text, in milliseconds. */
const THROTTLE_MS = 50;
const SUGGESTIONS = 4;
const RECENT = 5;
/** From the end of the page, in pixels: who is further up reads, and is not moved. */
const NEAR_END = 120;

export interface ChatPageProps {
  readonly chat: Chat<ChatMessage>;
  readonly chats: Chats;
  /** The first question of a new conversation was asked. */
  readonly onBegin: () => void;
}

const loadAnswer = () => import('./answer.tsx').then(({ Answer }) => ({ default: Answer }));
const LazyAnswer = lazy(loadAnswer);

/** The view of an answer. The box does not wait for its code, which is there before the first answer. */
function useAnswerView(): ComponentType<AnswerProps> {
  const [view, setView] = useState<ComponentType<AnswerProps>>(LazyAnswer);
  useEffect(() => {
    // Known, it is shown at once: a lazy part is first shown as loading. Where it does not come, that part says so.
    loadAnswer().then(
      (file) => setView(() => file.default),
      () => {},
    );
  }, []);
  return view;
}

/** In one line: what is going on. */
function statusOf(isRunning: boolean, answer: ChatMessage | undefined): string {
  if (answer === undefined) return isRunning ? TEXTS.answer.working : '';
  if (!isRunning) return endOf(answer).outcome === undefined ? '' : TEXTS.answer.complete;
  const table = stepsOf(answer).findLast((step) => step.table !== undefined)?.table;
  return table === undefined ? TEXTS.answer.working : TEXTS.answer.rows(table.rowCount);
}

function Beginning({ onAsk }: { readonly onAsk: (text: string) => void }): ReactNode {
  const suggestions = useSuggestions(SUGGESTIONS);
  const { data } = useConversations('', RECENT);
  const recent = data?.conversations ?? [];
  return (
    <>
      <ul aria-label={TEXTS.ask.suggested} className={styles.suggestions}>
        {suggestions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => onAsk(question)}>
              <ShownText text={question} />
            </button>
          </li>
        ))}
      </ul>
      {recent.length > 0 && (
        <section>
          <h2>{TEXTS.history.recent}</h2>
          <ul className={styles.recent}>
            {recent.map(({ id, title }) => (
              <li key={id}>
                <Link href={chatHref(id)}>
                  <ShownText text={title} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Stays at the end of the page while the text grows, for a reader who is there. */
function useFollow(messages: readonly unknown[]): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const onScroll = () => {
      isAtEnd.current = innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR_END;
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) scrollTo({ top: document.documentElement.scrollHeight });
  }, [messages]);
}

/** What failed beside the chat itself, and how it is tried again. */
interface Fault {
  readonly error: unknown;
  readonly onRetry: () => void;
}

export function ChatPage({ chat, chats, onBegin }: ChatPageProps): ReactNode {
  const client = useQueryClient();
  const { messages, status, error, sendMessage, clearError } = useChat({
    chat,
    throttle: THROTTLE_MS,
  });
  const Answer = useAnswerView();
  const box = useRef<HTMLTextAreaElement>(null);
  const connections = useConnections();
  const [connectionId, setConnectionId] = useState(chats.connectionId);
  const [notice, setNotice] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const isResumable = useHasArea('history');
  useEffect(() => {
    chats.isResumable = isResumable;
  }, [chats, isResumable]);
  const turns = turnsOf(messages);
  const last = turns.at(-1);
  const title = turns[0] === undefined ? TEXTS.ask.title : textOf(turns[0].question);
  usePageTitle(title);
  useFollow(messages);

  /** What was told belongs to the past; the button that was pressed may go, and the focus is in the box. */
  const begin = useCallback(() => {
    clearError();
    setNotice(undefined);
    setFault(undefined);
    box.current?.focus();
  }, [clearError]);
  const ask = useCallback(
    (text: string) => {
      onBegin();
      begin();
      void sendMessage({ text });
    },
    [sendMessage, begin, onBegin],
  );
  const again = useCallback(() => {
    begin();
    askAgain(chat).then(
      (isAsked) => setNotice(isAsked ? undefined : TEXTS.answer.goneOn),
      (cause) => setFault({ error: cause, onRetry: again }),
    );
  }, [chat, begin]);
  const onLost = useCallback((cause: Error) => setFault({ error: cause, onRetry: again }), [again]);
  const { isResuming, stop } = useResume(chat, { status, error }, isResumable, onLost);
  const isRunning = status === 'submitted' || status === 'streaming' || isResuming;
  const refresh = useCallback(() => {
    begin();
    readAnew(chat).catch((cause) => setFault({ error: cause, onRetry: refresh }));
  }, [chat, begin]);
  const edit = useCallback((text: string, selected = text) => {
    const { current } = box;
    if (current === null) return;
    current.value = text;
    current.focus();
    const at = text.indexOf(selected);
    current.setSelectionRange(at, at + selected.length);
  }, []);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isOpen = document.querySelector('dialog[open], :popover-open') !== null;
      if (event.key === 'Escape' && !isOpen && isRunning) stop();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [stop, isRunning]);

  useEffect(() => {
    if (!isRunning) void refreshConversations(client);
  }, [isRunning, client]);

  return (
    <div className={turns.length === 0 ? styles.beginning : styles.conversation}>
      <h1 className={turns.length === 0 ? undefined : 'visually-hidden'}>{title}</h1>
      <div role="log" aria-live="off" aria-label={TEXTS.answer.transcript}>
        {turns.map(({ question, answer }) => (
          <LazyPart key={question.id}>
            <Answer
              question={question}
              answer={answer}
              conversationId={chat.id}
              isRunning={isRunning && question === last?.question}
              isLast={question === last?.question}
              hasFailed={(error ?? fault) !== undefined && question === last?.question}
              onEdit={edit}
              onAsk={ask}
              onAskAgain={again}
              onRefresh={refresh}
            />
          </LazyPart>
        ))}
      </div>
      <p role="status" className={notice === undefined ? 'visually-hidden' : undefined}>
        {notice ?? statusOf(isRunning, last?.answer)}
      </p>
      {error !== undefined && !isResuming && <Alert error={error} onRetry={again} />}
      {error === undefined && fault !== undefined && <Alert {...fault} />}
      <div className={styles.box}>
        <QuestionBox
          box={box}
          takeDraft={() => chats.takeDraft(chat)}
          keepDraft={(text) => chats.keepDraft(chat, text)}
          isRunning={isRunning}
          connections={connections}
          connectionId={connectionId}
          onConnection={(id) => {
            chats.connectionId = id;
            setConnectionId(id);
          }}
          onAsk={ask}
          onStop={stop}
          onEditLast={() => last !== undefined && edit(textOf(last.question))}
        />
      </div>
      {turns.length === 0 && <Beginning onAsk={ask} />}
    </div>
  );
}
