/** Shows what changes in a file, and asks again before it does. */
import { lazy, type ReactNode } from 'react';
import { RequestDialog } from '../../ui/dialog.tsx';
import { LazyPart } from '../../ui/lazy-part.tsx';
import styles from './semantic.module.css';
import type { StoredFile } from './stored-file.ts';
import { SEMANTIC as T } from './texts.ts';

const ChangeView = lazy(() => import('./editor/change-view.tsx'));

export interface ReviewDialogProps {
  readonly title: string;
  readonly text: string;
  readonly file: string;
  /** What is changed. Another one takes its place where somebody else has changed it. */
  readonly base: StoredFile;
  readonly after: string;
  /** The verb, on the last button. */
  readonly action: string;
  /** A failure stays in the dialog. */
  run(): Promise<unknown>;
  readonly onClose: () => void;
}

export function ReviewDialog(props: ReviewDialogProps): ReactNode {
  const { title, text, file, base, after, action, run, onClose } = props;
  return (
    <RequestDialog isWide title={title} action={action} onSubmit={run} onClose={onClose}>
      <p>{text}</p>
      <div className={styles.review}>
        <LazyPart>
          <ChangeView key={base.version} label={T.changesOf(file)} before={base.text} after={after} />
        </LazyPart>
      </div>
    </RequestDialog>
  );
}
