/** Asks for a new password where an administrator wants one before anything else. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PasswordForm } from '../account/password-form.tsx';
import { call } from '../api/client.ts';
import { TEXTS } from '../texts.ts';
import styles from './sign-in.module.css';

export interface ChangePasswordProps {
  readonly onChanged: () => void;
  /** Shown where no new password is wanted. */
  readonly children: ReactNode;
}

export function ChangePassword({ onChanged, children }: ChangePasswordProps): ReactNode {
  const { data, isPending } = useQuery({
    queryKey: ['password-status'],
    queryFn: ({ signal }) => call<{ passwordChangeRequired: boolean }>('/api/v1/admin/me/password-status', { signal }),
  });
  if (isPending) return null;
  if (data?.passwordChangeRequired !== true) return children;
  return (
    <div className={styles.page}>
      <h1>{TEXTS.signIn.changeTitle}</h1>
      <p>{TEXTS.signIn.changeText}</p>
      <PasswordForm onChanged={onChanged} />
    </div>
  );
}
