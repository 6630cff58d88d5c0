/** Changes the session of this browser, and drops everything that was read before. */
import { dropDrafts } from '../admin/semantic/drafts.ts';
import { call } from '../api/client.ts';
import { setCredential } from '../api/credential.ts';
import { startAnew, tellOtherTabs } from '../api/enter.ts';
import type { Me } from '../api/queries.ts';

/** Throws `ApiError`; nothing has changed then. */
export async function switchOrganization(organizationId: string): Promise<void> {
  await call('/api/auth/organization/set-active', { method: 'POST', body: { organizationId } });
  tellOtherTabs();
  startAnew('/');
}

/** Throws `ApiError` where the session could not be ended. */
export async function signOut({ mode }: Pick<Me, 'mode'>): Promise<void> {
  if (mode === 'managed') {
    await call('/api/auth/sign-out', { method: 'POST', body: {} });
    tellOtherTabs();
  }
  setCredential(undefined);
  dropDrafts();
  startAnew('/');
}
