/** Shows the whole value of a cell, nested values over several lines. */
import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ShownText } from '../../ui/shown-text.tsx';
import { plainText } from '../cell-text.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import styles from './cell-dialog.module.css';

/** Browsers lay out text in pieces much faster than in one. */
const PIECE = 20_000;
const MAX_SHOWN = 2_000_000;

interface CellDialogProps {
  readonly title: string;
  readonly value: unknown;
  readonly onClose: () => void;
}

export function CellDialog({ title, value, onClose }: CellDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const isNested = typeof value === 'object' && value !== null;
  const text = isNested ? JSON.stringify(value, null, 2) : plainText(value ?? TEXTS.nullTitle);
  const pieces: string[] = [];
  for (let start = 0; start < Math.min(text.length, MAX_SHOWN); start += PIECE) {
    pieces.push(text.slice(start, start + PIECE));
  }
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className={styles.dialog}
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <h2>
        <bdi>
          <ShownText text={title} />
        </bdi>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <div className={styles.text} dir="auto" tabIndex={0}>
        {pieces.map((piece, at) => (
          <span key={at}>
            <ShownText text={piece} kept={'\n\t'} />
          </span>
        ))}
      </div>
      {text.length > MAX_SHOWN && <p>{TEXTS.cutAt(MAX_SHOWN)}</p>}
      <div className={styles.buttons}>
        <CopyButton label={TEXTS.copy} text={text} />
        <button type="button" data-kind="primary" onClick={() => dialog.current?.close()}>
          {TEXTS.close}
        </button>
      </div>
    </dialog>
  );
}
