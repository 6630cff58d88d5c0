/** Goes to a page or a conversation by a few letters of its name. */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { type Me, useConversations } from '../api/queries.ts';
import { TEXTS } from '../texts.ts';
import { useDebounced } from '../ui/debounced.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import { chatHref, type PageLink, pagesOf } from './pages.ts';
import styles from './palette.module.css';

const MAX_CONVERSATIONS = 8;

export interface PaletteProps {
  readonly me: Me;
  readonly onClose: () => void;
  readonly onGo: (href: string) => void;
}

export function Palette({ me, onClose, onGo }: PaletteProps): ReactNode {
  const listId = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const typed = text.trim();
  const asked = useDebounced(typed);
  const { data, isPlaceholderData } = useConversations(asked, MAX_CONVERSATIONS);
  const isAnswered = asked === typed && !isPlaceholderData;
  const matches = ({ label }: PageLink) => label.toLowerCase().includes(typed.toLowerCase());
  const conversations = (data?.conversations ?? []).map(({ id, title }) => ({ href: chatHref(id), label: title }));
  // Until the server has answered, those it found before may match as well.
  const found = [...pagesOf(me).filter(matches), ...(isAnswered ? conversations : conversations.filter(matches))];
  const go = (href: string | undefined) => {
    if (href === undefined) return;
    onClose();
    onGo(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(found[active]?.href);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || found.length === 0) return;
    event.preventDefault();
    setActive((active + step + found.length) % found.length);
  };
  return (
    <Dialog title={TEXTS.palette.title} onClose={onClose}>
      <input
        role="combobox"
        aria-label={TEXTS.palette.label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? `${listId}-${active}` : undefined}
        autoComplete="off"
        className={styles.input}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={TEXTS.palette.title} tabIndex={-1} className={styles.list}>
        {found.map(({ href, label }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box above
          <div
            key={href}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => go(href)}
          >
            <ShownText text={label} />
          </div>
        ))}
      </div>
      {found.length === 0 && isAnswered && <p>{TEXTS.palette.none}</p>}
    </Dialog>
  );
}
