/** Shows a text of a row, a name or a model with its hidden characters as symbols. */
import { Fragment, type ReactNode } from 'react';
import styles from './shown-text.module.css';
import { visibleParts } from './visible-text.ts';

export function ShownText({ text, kept }: { readonly text: string; readonly kept?: string }): ReactNode {
  return visibleNodes(text, kept);
}

/** The same for places with many texts, without a component for each. */
export function visibleNodes(text: string, kept?: string): ReactNode {
  const parts = visibleParts(text, kept);
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
