/** Changes the password of the account. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import styles from './account.module.css';

/** The server's rule. */
export const MIN_PASSWORD_LENGTH = 8;

export interface PasswordFormProps {
  /** Whose password it is, where that is known. */
  readonly email?: string | undefined;
  readonly onChanged: () => void;
}

export function PasswordForm({ email = '', onChanged }: PasswordFormProps): ReactNode {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNext] = useState('');
  const [error, setError] = useState<unknown>();
  const [isSending, setIsSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsSending(true);
    setError(undefined);
    try {
      const body = { currentPassword, newPassword };
      await call('/api/v1/admin/me/password', { method: 'POST', body, provesPassword: true });
      setCurrent('');
      setNext('');
      onChanged();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsSending(false);
    }
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Alert error={error} />}
      {/* Password managers store the new password for it. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <Field
        label={TEXTS.signIn.current}
        type="password"
        autoComplete="current-password"
        value={currentPassword}
        onChange={setCurrent}
      />
      <Field
        label={TEXTS.signIn.next}
        type="password"
        autoComplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        value={newPassword}
        onChange={setNext}
      />
      <button type="submit" data-kind="primary" disabled={isSending}>
        {TEXTS.signIn.change}
      </button>
    </form>
  );
}
