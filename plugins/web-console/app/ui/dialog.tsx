/** Shows a modal dialog: the browser's own, which keeps the focus inside and closes with Esc. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Mounted while it is open. */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
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
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={titleId} className={styles.title}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  /** The verb, on the last button. */
  readonly action: string;
  readonly cancel: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks again in words before something that cannot be undone. */
export function Confirm({ title, text, action, cancel, onConfirm, onClose }: ConfirmProps): ReactNode {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div className={styles.buttons}>
        <button type="button" onClick={onClose}>
          {cancel}
        </button>
        <button
          type="button"
          data-kind="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
