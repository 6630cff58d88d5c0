/** Shows a modal dialog: the browser's own, which keeps the focus inside and closes with Esc. */
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Alert } from './alert.tsx';
import styles from './dialog.module.css';
import { ShownText } from './shown-text.tsx';

export interface DialogProps {
  readonly title: string;
  /** For long texts. */
  readonly isWide?: boolean | undefined;
  /** What was sent has not been answered yet: the dialog stays, so that the answer is seen. */
  readonly isRunning?: boolean | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Mounted while it is open. */
export function Dialog({ title, isWide = false, isRunning = false, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? styles.wide : undefined}
      aria-labelledby={titleId}
      aria-busy={isRunning}
      closedby={isRunning ? 'none' : 'closerequest'}
      onCancel={(event) => {
        event.preventDefault();
        if (!isRunning) onClose();
      }}
    >
      <h2 id={titleId} className={styles.title}>
        <ShownText text={title} />
      </h2>
      {children}
    </dialog>
  );
}

export interface FormDialogProps extends DialogProps {
  /** The verb, on the last button. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onSubmit: () => void;
}

export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, isWide, action, isDanger = false, isRunning = false, onSubmit, onClose, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning) onSubmit();
  };
  return (
    <Dialog title={title} isWide={isWide} isRunning={isRunning} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        <div className={styles.buttons}>
          <button type="button" disabled={isRunning} onClick={onClose}>
            {TEXTS.cancel}
          </button>
          {/* It keeps the focus, which a button that is disabled loses. */}
          <button type="submit" data-kind={isDanger ? 'danger' : 'primary'} aria-disabled={isRunning}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export interface RequestDialogProps extends Omit<FormDialogProps, 'isRunning' | 'onSubmit'> {
  readonly onSubmit: () => Promise<unknown>;
}

/** A form that stays until the server has taken it: what was typed is there to be sent again, or changed. */
export function RequestDialog({ onSubmit, onClose, children, ...form }: RequestDialogProps): ReactNode {
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const submit = () => {
    setIsRunning(true);
    setError(undefined);
    onSubmit().then(onClose, (failure: unknown) => {
      setError(failure);
      setIsRunning(false);
    });
  };
  return (
    <FormDialog {...form} isRunning={isRunning} onSubmit={submit} onClose={onClose}>
      {children}
      {error !== undefined && <Alert error={error} />}
    </FormDialog>
  );
}

export interface ConfirmProps extends Omit<DialogProps, 'children'> {
  readonly text: string;
  /** The verb, on the last button. */
  readonly action: string;
  readonly onConfirm: () => void;
}

/** Asks again in words before something that cannot be undone. */
export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps): ReactNode {
  const confirm = () => {
    onClose();
    onConfirm();
  };
  return (
    <FormDialog isDanger title={title} action={action} onSubmit={confirm} onClose={onClose}>
      <p>
        <ShownText text={text} />
      </p>
    </FormDialog>
  );
}
