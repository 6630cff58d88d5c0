/** Asks for an account: e-mail and password, a new account, a social provider, or the provider of an organization. */
import { type ReactNode, useEffect, useState } from 'react';
import { MIN_PASSWORD_LENGTH } from '../account/password-form.tsx';
import { call } from '../api/client.ts';
import { setCredential } from '../api/credential.ts';
import { tellOtherTabs } from '../api/enter.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { ownPath } from './own-path.ts';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

/** What the server offers beside e-mail and password. */
export interface Ways {
  readonly signUp: boolean;
  readonly socialProviders: readonly string[];
  readonly singleSignOn: boolean;
}

const WAYS = ['', '#sign-in', '#sign-up', '#sso'];

/** The way that the address names last: the skip link, which is part of the address as well, leaves the form as it is. */
function useWay(): string {
  const [way, setWay] = useState(location.hash);
  useEffect(() => {
    const onHashChange = () => setWay((before) => (WAYS.includes(location.hash) ? location.hash : before));
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return way;
}

/** The server signs the browser in as soon as it has the password. */
async function signIn(email: string, password: string): Promise<void> {
  await call('/api/auth/sign-in/email', { method: 'POST', body: { email, password } });
  setCredential(undefined);
  tellOtherTabs();
  history.replaceState(null, '', ownPath(location));
}

/** Goes to the provider, which sends the browser back to the page that is shown. */
async function goTo(path: 'social' | 'sso', body: object): Promise<void> {
  const callbackURL = ownPath(location);
  const { url } = await call<{ readonly url: string }>(`/api/auth/sign-in/${path}`, {
    method: 'POST',
    body: { ...body, callbackURL, errorCallbackURL: callbackURL },
  });
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new Error(TEXTS.signInWays.unsafe);
  location.assign(url);
}

function AccountForm({ isNew }: { readonly isNew: boolean }): ReactNode {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (enter: () => Promise<void>) => {
    if (isNew) await call('/api/auth/sign-up/email', { method: 'POST', body: { email, password, name } });
    await signIn(email, password);
    await enter();
  };
  return (
    <SignInForm action={isNew ? TEXTS.signIn.signUp : TEXTS.signIn.signIn} onSubmit={submit}>
      {isNew && <Field label={TEXTS.signIn.name} autoComplete="name" value={name} onChange={setName} />}
      <Field label={TEXTS.signIn.email} type="email" autoComplete="username" value={email} onChange={setEmail} />
      <Field
        label={TEXTS.signIn.password}
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        {...(isNew && { minLength: MIN_PASSWORD_LENGTH })}
        value={password}
        onChange={setPassword}
      />
    </SignInForm>
  );
}

function SingleSignOn(): ReactNode {
  const [email, setEmail] = useState('');
  return (
    <SignInForm action={TEXTS.signInWays.goOn} onSubmit={() => goTo('sso', { email })}>
      <Field
        label={TEXTS.signIn.email}
        type="email"
        autoComplete="username"
        hint={TEXTS.signInWays.singleHint}
        value={email}
        onChange={setEmail}
      />
    </SignInForm>
  );
}

function Providers({ names }: { readonly names: readonly string[] }): ReactNode {
  const [error, setError] = useState<unknown>();
  const titles: Readonly<Record<string, string>> = TEXTS.signInWays.providers;
  return (
    <>
      {error !== undefined && <Alert error={error} />}
      {names.map((provider) => (
        <button key={provider} type="button" onClick={() => void goTo('social', { provider }).catch(setError)}>
          {TEXTS.signIn.with(titles[provider] ?? provider)}
        </button>
      ))}
    </>
  );
}

export function ManagedSignIn({ ways }: { readonly ways: Ways }): ReactNode {
  const way = useWay();
  const { signUp, socialProviders, singleSignOn } = ways;
  const shown = (way === '#sign-up' && signUp) || (way === '#sso' && singleSignOn) ? way : '#sign-in';
  const links = [
    { href: '#sign-in', text: TEXTS.signIn.haveAccount, isOffered: true },
    { href: '#sign-up', text: TEXTS.signIn.signUp, isOffered: signUp },
    { href: '#sso', text: TEXTS.signInWays.single, isOffered: singleSignOn },
  ];
  return (
    <>
      {shown === '#sso' ? <SingleSignOn /> : <AccountForm key={shown} isNew={shown === '#sign-up'} />}
      {shown !== '#sso' && <Providers names={socialProviders} />}
      <ul className={styles.links}>
        {links
          .filter(({ href, isOffered }) => isOffered && href !== shown)
          .map(({ href, text }) => (
            <li key={href}>
              <a href={href}>{text}</a>
            </li>
          ))}
        {shown === '#sign-in' && (
          <li>
            <a href="/api/auth/request-password-reset">{TEXTS.signIn.forgot}</a>
          </li>
        )}
      </ul>
    </>
  );
}
