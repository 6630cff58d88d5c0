/** Shows a text of a row, a name or a model: it reorders nothing around it, and its hidden characters are symbols. */
import { Fragment, type ReactNode } from 'react';
import { visibleParts } from '../../../text-kit/index.ts';
import styles from './shown-text.module.css';

/** A text full of hidden characters would slow the page down, with an element for each. */
const MAX_MARKED_PARTS = 100;

export interface ShownTextProps {
  readonly text: string | null | undefined;
  /** Characters that the place can show, such as line breaks. */
  readonly kept?: string;
}

export function ShownText({ text, kept }: ShownTextProps): ReactNode {
  return <bdi>{visibleNodes(text ?? '', kept)}</bdi>;
}

/** The same without an element around it, for places that have their own. */
export function visibleNodes(text: string, kept?: string): ReactNode {
  const parts = visibleParts(text, kept);
  if (parts.length > MAX_MARKED_PARTS) return parts.map((part) => part.text).join('');
  if (parts.length === 1 && parts[0]?.isSymbol === false) return text;
  return parts.map((part, at) =>
    part.isSymbol ? (
      <span key={at} className={styles.symbol}>
        {part.text}
      </span>
    ) : (
      <Fragment key={at}>{part.text}</Fragment>
    ),
  );
}
