/** Asks for the credentials that this server takes: a key, a token, or an account. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { hasCredential } from '../api/credential.ts';
import { HEALTH } from '../api/health.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { CredentialSignIn } from './credential-sign-in.tsx';
import { ManagedSignIn } from './managed-sign-in.tsx';
import { ownPath } from './own-path.ts';
import styles from './sign-in.module.css';

/** What a provider said when it sent the browser back. Its words are anybody's: only a code is shown. */
function codeOfProvider(): string | undefined {
  const code = new URLSearchParams(location.search).get('error') ?? '';
  return /^[a-zA-Z_]{1,60}$/.test(code) ? code : undefined;
}

/** Why the person is asked. */
function reasonOf(hasBegun: boolean): string | undefined {
  const code = codeOfProvider();
  if (code !== undefined) return TEXTS.signInWays.providerFailed(code);
  if (hasCredential()) return TEXTS.signInWays.stored;
  return hasBegun ? TEXTS.signInWays.ended : undefined;
}

/** `hasBegun`: the pages have been in use. */
export function SignIn({ hasBegun }: { readonly hasBegun: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(HEALTH);
  const [reason] = useState(() => reasonOf(hasBegun));
  useEffect(() => {
    if (codeOfProvider() !== undefined) history.replaceState(null, '', ownPath(location));
  }, []);
  usePageTitle(TEXTS.signIn.title);
  const { auth, singleSignOn } = data?.components ?? {};
  const { mode, signUp = false, socialProviders = [] } = auth ?? {};
  return (
    <div className={styles.page}>
      <h1>{TEXTS.signIn.title}</h1>
      {reason !== undefined && <p role="note">{reason}</p>}
      {error !== null && <Alert error={error} onRetry={() => void refetch()} />}
      {mode === 'managed' && (
        <ManagedSignIn ways={{ signUp, socialProviders, singleSignOn: singleSignOn !== undefined }} />
      )}
      {(mode === 'byot' || mode === 'api-key') && (
        <CredentialSignIn label={mode === 'byot' ? TEXTS.signIn.token : TEXTS.signIn.key} />
      )}
      {data !== undefined && (mode === undefined || mode === 'none') && (
        <Alert error={new Error(TEXTS.signInWays.wrongMode)} onRetry={() => void refetch()} />
      )}
    </div>
  );
}
