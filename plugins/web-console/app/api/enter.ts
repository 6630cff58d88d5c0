/** Shows the pages once the server takes the credentials of this tab, and keeps the tabs of one browser together. */
import type { QueryClient } from '@tanstack/react-query';
import { acceptCredential, hasCredential } from './credential.ts';
import { ApiError } from './failure.ts';
import { ME } from './queries.ts';

/** Asks who is signed in. Throws `ApiError` where that is nobody, or is not known. */
export async function enter(client: QueryClient): Promise<void> {
  try {
    await client.fetchQuery({ ...ME, staleTime: 0 });
  } catch (error) {
    // Who has to change the password is known, and refused.
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
  }
  acceptCredential();
}

/** Leaves for a page that knows nothing of what this one has shown; neither does the way back to it. */
export function startAnew(address: string): void {
  document.body.hidden = true;
  if (address === location.href) location.reload();
  else location.assign(address);
}

const channel = new BroadcastChannel('atlas.account');

/** The session of this browser is another one, or none. */
export function tellOtherTabs(): void {
  channel.postMessage(null);
}

/** Takes over what other tabs do with the session, until the function that is returned is called. */
export function followOtherTabs(client: QueryClient): () => void {
  const onMessage = () => {
    // A key or token is this tab's own.
    if (!hasCredential()) enter(client).catch(() => {});
  };
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) startAnew(location.href);
  };
  channel.addEventListener('message', onMessage);
  addEventListener('pageshow', onPageShow);
  return () => {
    channel.removeEventListener('message', onMessage);
    removeEventListener('pageshow', onPageShow);
  };
}
