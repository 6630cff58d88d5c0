/** Shows the whole value of a cell, nested values over several lines. */

import type { ReactNode } from 'react';
import { plainText } from '../../../../chart-kit/index.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { visibleNodes } from '../../ui/shown-text.tsx';
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
  const isNested = typeof value === 'object' && value !== null;
  const text = isNested ? JSON.stringify(value, null, 2) : plainText(value ?? TEXTS.nullTitle);
  const pieces: string[] = [];
  for (let start = 0; start < Math.min(text.length, MAX_SHOWN); start += PIECE) {
    pieces.push(text.slice(start, start + PIECE));
  }
  return (
    <Dialog isWide title={title} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <div className={styles.text} dir="auto" tabIndex={0}>
        {pieces.map((piece, at) => (
          <span key={at}>{visibleNodes(piece, '\n\t')}</span>
        ))}
      </div>
      {text.length > MAX_SHOWN && <p>{TEXTS.cutAt(MAX_SHOWN)}</p>}
      <div className={styles.buttons}>
        <CopyButton label={TEXTS.copy} text={text} />
        <button type="button" data-kind="primary" onClick={onClose}>
          {TEXTS.close}
        </button>
      </div>
    </Dialog>
  );
}
