/** Starts the actions of a page, at once or after their dialog, and tells what came of them. */
import { type ReactNode, useRef, useState } from 'react';
import { Alert } from '../ui/alert.tsx';
import { ActionDialog, useRun } from './action-dialog.tsx';
import styles from './admin.module.css';
import type { Action } from './resource.ts';

export interface Actions {
  readonly start: (action: Action) => void;
  /** What the page shows of them: the open dialog, and how the last one ended. */
  readonly outcome: ReactNode;
}

/** `said`: what the page says for itself, in the one place where people are told. */
export function useActions(said?: ReactNode): Actions {
  const [action, setAction] = useState<Action>();
  const [told, setTold] = useState<ReactNode>();
  const [failure, setFailure] = useState<unknown>();
  const run = useRun();
  /** Requests that run without a dialog: one that has not been answered yet is not sent again. */
  const running = useRef(new Set<string>());
  const runOnce = async (next: Action) => {
    const request = JSON.stringify(next.command({}));
    if (running.current.has(request)) return;
    running.current.add(request);
    await run(next, {}).then(setTold, setFailure);
    running.current.delete(request);
  };
  const start = (next: Action) => {
    setTold(undefined);
    setFailure(undefined);
    if (next.isImmediate === true) void runOnce(next);
    else setAction(next);
  };
  const outcome = (
    <>
      <div role="status">
        <p className={styles.told}>{told}</p>
        {said}
      </div>
      {failure !== undefined && <Alert error={failure} />}
      {action !== undefined && <ActionDialog action={action} onClose={() => setAction(undefined)} onDone={setTold} />}
    </>
  );
  return { start, outcome };
}
