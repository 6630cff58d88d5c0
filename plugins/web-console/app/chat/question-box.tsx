/** The box to ask in. */
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useEffectEvent } from 'react';
import { visibleText } from '../../../text-kit/index.ts';
import { TEXTS } from '../texts.ts';
import styles from './question-box.module.css';

export interface QuestionBoxProps {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  /** What was typed when the box was left. */
  readonly takeDraft: () => string;
  readonly keepDraft: (text: string) => void;
  readonly isRunning: boolean;
  readonly connections: readonly string[];
  readonly connectionId: string | undefined;
  readonly onConnection: (id: string) => void;
  readonly onAsk: (text: string) => void;
  readonly onStop: () => void;
  /** ↑ in an empty box. */
  readonly onEditLast: () => void;
}

export function QuestionBox(props: QuestionBoxProps): ReactNode {
  const { box, isRunning, connections, connectionId, onConnection, onAsk, onStop, onEditLast } = props;
  const take = useEffectEvent((field: HTMLTextAreaElement) => {
    const draft = props.takeDraft();
    if (field.value === '') field.value = draft;
    field.focus();
  });
  const leave = useEffectEvent((field: HTMLTextAreaElement) => props.keepDraft(field.value));
  useEffect(() => {
    const field = box.current;
    if (field === null) return undefined;
    take(field);
    return () => leave(field);
  }, [box]);
  const ask = () => {
    const text = box.current?.value.trim() ?? '';
    if (text === '' || isRunning || box.current === null) return;
    box.current.value = '';
    onAsk(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter that ends a composition chooses a character.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      ask();
    } else if (event.key === 'ArrowUp' && event.currentTarget.value === '') {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        className={styles.box}
        aria-label={TEXTS.ask.label}
        placeholder={TEXTS.ask.placeholder}
        title={TEXTS.ask.hint}
        onKeyDown={onKeyDown}
      />
      <div className={styles.row}>
        {connections.length > 1 && (
          <select
            aria-label={TEXTS.ask.connection}
            value={connectionId ?? connections[0]}
            onChange={(event) => onConnection(event.target.value)}
          >
            {connections.map((id) => (
              <option key={id} value={id}>
                {visibleText(id)}
              </option>
            ))}
          </select>
        )}
        {isRunning ? (
          <button type="button" onClick={onStop}>
            {TEXTS.ask.stop}
          </button>
        ) : (
          <button type="submit" data-kind="primary">
            {TEXTS.ask.ask}
          </button>
        )}
      </div>
    </form>
  );
}
