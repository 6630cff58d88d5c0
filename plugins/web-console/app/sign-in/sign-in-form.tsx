/** A form to sign in with: what it sends, what went wrong, and the way on once the server knows who it is. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { enter } from '../api/enter.ts';
import { ApiError } from '../api/failure.ts';
import { Alert } from '../ui/alert.tsx';
import styles from './sign-in.module.css';

export interface SignInFormProps {
  readonly action: string;
  /** Calls `enter` once the server has what it needs. */
  readonly onSubmit: (enter: () => Promise<void>) => Promise<void>;
  readonly children: ReactNode;
}

/** What makes sense to try once more as it is. */
const isWorthRetrying = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);

export function SignInForm({ action, onSubmit, children }: SignInFormProps): ReactNode {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<unknown>();
  const [isSending, setIsSending] = useState(false);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const submit = async () => {
    setIsSending(true);
    setError(undefined);
    try {
      await onSubmit(() => enter(client));
    } catch (failure) {
      setError(failure);
    } finally {
      setIsSending(false);
    }
  };
  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit();
      }}
    >
      {error !== undefined && (
        <Alert error={error} onRetry={isWorthRetrying(error) ? () => form.current?.requestSubmit() : undefined} />
      )}
      {children}
      <button type="submit" data-kind="primary" disabled={isSending}>
        {action}
      </button>
    </form>
  );
}
