/** The page of one's own account: who one is, the organizations, the password, the sessions. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Me } from '../api/queries.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { useHeadingFocus } from '../ui/heading-focus.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './account.module.css';
import { PasswordForm } from './password-form.tsx';
import { switchOrganization } from './session.ts';
import { SESSIONS, Sessions } from './sessions.tsx';

function Organizations({ me }: { readonly me: Me }): ReactNode {
  const [error, setError] = useState<unknown>();
  return (
    <section aria-labelledby="organizations">
      <h2 id="organizations">{TEXTS.accountPage.organizations}</h2>
      {error !== undefined && <Alert error={error} />}
      {me.organizations.length === 0 && <p>{TEXTS.accountPage.noOrganization}</p>}
      <ul className={styles.list} aria-labelledby="organizations">
        {me.organizations.map(({ id, name }) => (
          <li key={id}>
            <ShownText text={name} />
            {id === me.orgId ? (
              <strong>{TEXTS.accountPage.active}</strong>
            ) : (
              <button type="button" onClick={() => void switchOrganization(id).catch(setError)}>
                <ShownText text={TEXTS.accountPage.switchTo(name)} />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function AccountPage({ me }: { readonly me: Me }): ReactNode {
  const client = useQueryClient();
  const [isChanged, setIsChanged] = useState(false);
  usePageTitle(TEXTS.accountPage.title);
  const heading = useHeadingFocus();
  return (
    <div className={styles.page}>
      <h1 ref={heading} tabIndex={-1}>
        {TEXTS.accountPage.title}
      </h1>
      <dl className={styles.facts}>
        <dt>{TEXTS.signIn.name}</dt>
        <dd>
          <ShownText text={me.user?.name} />
        </dd>
        <dt>{TEXTS.signIn.email}</dt>
        <dd>
          <ShownText text={me.user?.email} />
        </dd>
        <dt>{TEXTS.accountPage.role}</dt>
        <dd>
          <ShownText text={me.role} />
        </dd>
      </dl>
      <Organizations me={me} />
      <details>
        <summary>{TEXTS.accountPage.password}</summary>
        <PasswordForm
          email={me.user?.email ?? undefined}
          onChanged={() => {
            setIsChanged(true);
            void client.invalidateQueries({ queryKey: SESSIONS });
          }}
        />
        {isChanged && <p role="status">{TEXTS.accountPage.passwordChanged}</p>}
      </details>
      <Sessions />
    </div>
  );
}
