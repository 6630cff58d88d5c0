/** The page of all conversations: search, open, rename, star, delete. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import { type ConversationInfo, refreshConversations, useConversations } from '../api/queries.ts';
import type { Chats } from '../chat/chats.ts';
import { chatHref } from '../shell/pages.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { useDebounced } from '../ui/debounced.ts';
import { Confirm, RequestDialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { useHeadingFocus } from '../ui/heading-focus.ts';
import { Menu } from '../ui/menu.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ShownText } from '../ui/shown-text.tsx';
import { Time } from '../ui/time.tsx';
import styles from './history-page.module.css';

const PAGE = 30;
const MAX_LISTED = 100;

interface Open {
  readonly dialog: 'rename' | 'delete';
  readonly conversation: ConversationInfo;
}

interface RenameDialogProps {
  readonly title: string;
  readonly onRename: (title: string) => Promise<void>;
  readonly onClose: () => void;
}

function RenameDialog({ title: before, onRename, onClose }: RenameDialogProps): ReactNode {
  const [title, setTitle] = useState(before);
  return (
    <RequestDialog
      title={TEXTS.history.renameTitle}
      action={TEXTS.history.rename}
      onSubmit={() => onRename(title.trim())}
      onClose={onClose}
    >
      <Field label={TEXTS.history.name} autoComplete="off" value={title} onChange={setTitle} />
    </RequestDialog>
  );
}

export function HistoryPage({ chats }: { readonly chats: Chats }): ReactNode {
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const { data, error, refetch } = useConversations(useDebounced(search.trim()), limit);
  const [failure, setFailure] = useState<unknown>();
  const [open, setOpen] = useState<Open>();
  const heading = useHeadingFocus(data);
  usePageTitle(TEXTS.history.title);
  /** Throws `ApiError`. */
  const change = async (id: string, method: 'PATCH' | 'DELETE', body?: unknown, part = '') => {
    setFailure(undefined);
    await call(`/api/v1/conversations/${encodeURIComponent(id)}${part}`, { method, body });
    void refreshConversations(client);
  };
  const conversations = data?.conversations ?? [];
  const isCut = data !== undefined && data.total > conversations.length;
  const close = () => setOpen(undefined);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {TEXTS.history.title}
      </h1>
      <input
        type="search"
        aria-label={TEXTS.history.search}
        placeholder={TEXTS.history.search}
        className={styles.search}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error !== null && <Alert error={error} onRetry={() => void refetch()} />}
      {failure !== undefined && <Alert error={failure} />}
      {data !== undefined && conversations.length === 0 && (
        <p>{search === '' ? TEXTS.history.empty : TEXTS.history.noMatch}</p>
      )}
      <nav aria-label={TEXTS.history.conversations}>
        <ul className={styles.list}>
          {conversations.map((conversation) => {
            const { id, title, starred, updatedAt } = conversation;
            return (
              <li key={id}>
                <Link href={chatHref(id)} className={styles.link}>
                  {starred && (
                    <span role="img" aria-label={TEXTS.history.starred}>
                      ★{' '}
                    </span>
                  )}
                  <ShownText text={title} />
                </Link>
                <Time at={updatedAt} />
                <Menu
                  isQuiet
                  label={TEXTS.history.more}
                  items={[
                    { label: TEXTS.history.rename, onSelect: () => setOpen({ dialog: 'rename', conversation }) },
                    {
                      label: starred ? TEXTS.history.unstar : TEXTS.history.star,
                      onSelect: () => void change(id, 'PATCH', { starred: !starred }, '/star').catch(setFailure),
                    },
                    { label: TEXTS.history.delete, onSelect: () => setOpen({ dialog: 'delete', conversation }) },
                  ]}
                />
              </li>
            );
          })}
        </ul>
      </nav>
      {isCut && limit < MAX_LISTED && (
        <button type="button" onClick={() => setLimit(MAX_LISTED)}>
          {TEXTS.history.older}
        </button>
      )}
      {isCut && limit === MAX_LISTED && <p>{TEXTS.history.cut(conversations.length, data.total)}</p>}
      {open?.dialog === 'rename' && (
        <RenameDialog
          title={open.conversation.title}
          onRename={(title) => change(open.conversation.id, 'PATCH', { title })}
          onClose={close}
        />
      )}
      {open?.dialog === 'delete' && (
        <Confirm
          title={TEXTS.history.deleteTitle}
          text={TEXTS.history.deleteText(open.conversation.title)}
          action={TEXTS.history.delete}
          onConfirm={() => {
            chats.delete(open.conversation.id);
            void change(open.conversation.id, 'DELETE').catch(setFailure);
          }}
          onClose={close}
        />
      )}
    </>
  );
}
