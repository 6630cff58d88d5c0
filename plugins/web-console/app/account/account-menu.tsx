/** Shows who is signed in, and what they can do about it: another organization, the account, signing out. */
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { hasDrafts } from '../admin/semantic/drafts.ts';
import type { Me } from '../api/queries.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { signOut, switchOrganization } from './session.ts';

export function AccountMenu({ me }: { readonly me: Me }): ReactNode {
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>();
  const [isAsking, setIsAsking] = useState(false);
  const { user, mode, areas, orgId, organizations } = me;
  if (mode === 'none') return null;
  const label = user?.name ?? user?.email ?? user?.id ?? TEXTS.account.nobody;
  const leave = () => void signOut(me).catch(setError);
  const others = organizations.filter(({ id }) => id !== orgId);
  return (
    <>
      <Menu
        isQuiet
        label={label}
        items={[
          ...(areas.includes('account')
            ? [{ label: TEXTS.accountPage.title, onSelect: () => navigate('/account') }]
            : []),
          ...others.map(({ id, name }) => ({
            id,
            label: TEXTS.accountPage.switchTo(name),
            onSelect: () => void switchOrganization(id).catch(setError),
          })),
          { label: TEXTS.account.signOut, onSelect: () => (hasDrafts(me) ? setIsAsking(true) : leave()) },
        ]}
      />
      {isAsking && (
        <Confirm
          title={TEXTS.account.signOutTitle}
          text={TEXTS.account.draftsGo}
          action={TEXTS.account.signOut}
          onConfirm={leave}
          onClose={() => setIsAsking(false)}
        />
      )}
      {error !== undefined && (
        <Dialog title={TEXTS.accountPage.failed} onClose={() => setError(undefined)}>
          <Alert error={error} />
          <button type="button" onClick={() => setError(undefined)}>
            {TEXTS.close}
          </button>
        </Dialog>
      )}
    </>
  );
}
