/** Lists the keyboard shortcuts. */
import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './key-list.module.css';

export function KeyList({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title={TEXTS.keys.title} onClose={onClose}>
      <dl className={styles.list}>
        {TEXTS.keys.list.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        {TEXTS.close}
      </button>
    </Dialog>
  );
}
