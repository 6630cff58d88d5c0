/** Starts the actions of a page, at once or after their dialog, and tells what came of them. */
import { type ReactNode, useState } from 'react';
import { Alert } from '../ui/alert.tsx';
import { ActionDialog, useRun } from './action-dialog.tsx';
import styles from './admin.module.css';
import type { Action } from './resource.ts';

export interface Actions {
  readonly start: (action: Action) => void;
  /** What the page shows of them: the open dialog, and how the last one ended. */
  readonly outcome: ReactNode;
}

export function useActions(): Actions {
  const [action, setAction] = useState<Action>();
  const [told, setTold] = useState<ReactNode>();
  const [failure, setFailure] = useState<unknown>();
  const run = useRun();
  const start = (next: Action) => {
    setTold(undefined);
    setFailure(undefined);
    if (next.isImmediate !== true) setAction(next);
    else run(next, {}).then(setTold, setFailure);
  };
  const outcome = (
    <>
      <p role="status" className={styles.told}>
        {told}
      </p>
      {failure !== undefined && <Alert error={failure} />}
      {action !== undefined && <ActionDialog action={action} onClose={() => setAction(undefined)} onDone={setTold} />}
    </>
  );
  return { start, outcome };
}
