/** Asks for an API key or a token. */
import { type ReactNode, useState } from 'react';
import { setCredential } from '../api/credential.ts';
import { ApiError } from '../api/failure.ts';
import { TEXTS } from '../texts.ts';
import { Field } from '../ui/field.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** What a header can hold. */
const CREDENTIAL = /^[\x21-\x7e]+$/;

/** Kept for this tab once the server has taken it. */
async function signIn(typed: string, enter: () => Promise<void>): Promise<void> {
  // As it stands in instructions.
  const value = typed.trim().replace(/^Bearer\s+/i, '');
  if (!CREDENTIAL.test(value)) throw new Error(TEXTS.signInWays.characters);
  setCredential(value);
  try {
    await enter();
  } catch (error) {
    setCredential(undefined);
    throw error instanceof ApiError && error.status === 401 ? new Error(TEXTS.signIn.refused) : error;
  }
}

export function CredentialSignIn({ label }: { readonly label: string }): ReactNode {
  const [value, setValue] = useState('');
  return (
    <SignInForm action={TEXTS.signIn.signIn} onSubmit={(enter) => signIn(value, enter)}>
      <Field
        label={label}
        type="password"
        autoComplete="off"
        hint={TEXTS.signIn.keyHint}
        value={value}
        onChange={setValue}
      />
    </SignInForm>
  );
}
