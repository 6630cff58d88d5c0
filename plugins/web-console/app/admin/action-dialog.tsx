/** Asks again in words before something is done, with a form where the server needs to know more. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { Alert } from '../ui/alert.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './admin.module.css';
import { FormFields, firstValues } from './form-fields.tsx';
import type { Action } from './resource.ts';

/** Runs actions; resolves to what came of it, for people. */
export function useRun(): (action: Action, values: Readonly<Record<string, string>>) => Promise<ReactNode> {
  const client = useQueryClient();
  return async (action, values) => {
    const { path, ...request } = action.command(values);
    try {
      const result = await call<unknown>(path, request);
      return action.done?.(result, values);
    } finally {
      // What changed shows in many places; a refusal often means that what is shown is not how it is any more.
      void client.invalidateQueries();
    }
  };
}

export interface ActionDialogProps {
  readonly action: Action;
  readonly onDone: (told: ReactNode) => void;
  readonly onClose: () => void;
}

export function ActionDialog({ action, onDone, onClose }: ActionDialogProps): ReactNode {
  const { label, title = `${label}?`, text, fields = [], isDanger = false } = action;
  const run = useRun();
  const [values, setValues] = useState(() => firstValues(fields));
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const submit = () => {
    setIsRunning(true);
    setError(undefined);
    run(action, values).then(
      (told) => {
        onClose();
        onDone(told);
      },
      (failure: unknown) => {
        setError(failure);
        setIsRunning(false);
      },
    );
  };
  return (
    <FormDialog
      title={title}
      action={label}
      isDanger={isDanger}
      isRunning={isRunning}
      onSubmit={submit}
      onClose={onClose}
    >
      {text !== undefined && (
        <p className={styles.said}>
          <ShownText text={text} />
        </p>
      )}
      <FormFields
        fields={fields}
        values={values}
        error={error}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
      {error !== undefined && <Alert error={error} />}
    </FormDialog>
  );
}
