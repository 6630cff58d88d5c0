/** Chooses the page by the address, and asks for credentials where the server wants some. */
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { Activity, lazy, type ReactNode, useEffect, useState } from 'react';
import { Route, Switch, useLocation, useRoute } from 'wouter';
import { useIsRefused } from './api/credential.ts';
import { followOtherTabs, startAnew } from './api/enter.ts';
import { ApiError } from './api/failure.ts';
import { createQueryClient, type Me, useMe } from './api/queries.ts';
import { ChatPage } from './chat/chat-page.tsx';
import { Chats } from './chat/chats.ts';
import { OpenChat } from './chat/open-chat.tsx';
import { chatHref } from './shell/pages.ts';
import { Shell } from './shell/shell.tsx';
import { TEXTS } from './texts.ts';
import { Alert } from './ui/alert.tsx';
import { LazyPart } from './ui/lazy-part.tsx';
import { MissingPage } from './ui/missing-page.tsx';

const HistoryPage = lazy(() => import('./history/history-page.tsx').then((file) => ({ default: file.HistoryPage })));
const SharedPage = lazy(() => import('./shared/shared-page.tsx').then((file) => ({ default: file.SharedPage })));
const AdminPages = lazy(() => import('./admin/admin-pages.tsx').then((file) => ({ default: file.AdminPages })));
const OwnPage = lazy(() => import('./admin/admin-pages.tsx').then((file) => ({ default: file.OwnPage })));
const AccountPage = lazy(() => import('./account/account-page.tsx').then((file) => ({ default: file.AccountPage })));
const SignIn = lazy(() => import('./sign-in/sign-in.tsx').then((file) => ({ default: file.SignIn })));
const ChangePassword = lazy(() =>
  import('./sign-in/change-password.tsx').then((file) => ({ default: file.ChangePassword })),
);

/** The chat of the address; at `/`, a new one, which keeps its place on the page when it gets an address. */
function ChatRoute({ chats }: { readonly chats: Chats }): ReactNode {
  const [, navigate] = useLocation();
  const [, params] = useRoute('/c/:id');
  const [newId, setNewId] = useState(() => crypto.randomUUID());
  const id = params?.id.toLowerCase() ?? newId;
  // Once it has been left, the next question begins another one.
  useEffect(() => {
    if (params?.id !== newId) return undefined;
    return () => setNewId(crypto.randomUUID());
  }, [params?.id, newId]);
  const isNew = params === null;
  return (
    <OpenChat key={id} id={id} isNew={isNew} chats={chats}>
      {(chat) => (
        <ChatPage chat={chat} chats={chats} onBegin={() => isNew && navigate(chatHref(id), { replace: true })} />
      )}
    </OpenChat>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly onRetry: () => void;
}

/** What is shown instead of a page. Who has to change the password is refused everything else, and is asked to. */
function MeFailure({ error, onRetry }: FailureProps): ReactNode {
  const alert = (
    <>
      <h1>{TEXTS.failure.title}</h1>
      <Alert error={error} onRetry={onRetry} />
    </>
  );
  if (!(error instanceof ApiError) || error.code !== 'forbidden') return alert;
  return (
    <LazyPart>
      <ChangePassword onChanged={onRetry}>{alert}</ChangePassword>
    </LazyPart>
  );
}

const personOf = ({ mode, user, orgId }: Me) => JSON.stringify([mode, user?.id, orgId]);

/**
 * Whether another person, or one in another organization, has taken the place of the one whose data is on the pages. Whoever
 * is refused even to know who they are may be another one.
 */
function useIsAnother(me: Me | undefined, error: Error | null): boolean {
  const [first, setFirst] = useState<string>();
  const person = me && personOf(me);
  if (first === undefined && person !== undefined) setFirst(person);
  const isForbidden = error instanceof ApiError && error.status === 403;
  const isAnother = first !== undefined && (isForbidden || (person !== undefined && person !== first));
  useEffect(() => {
    if (isAnother) startAnew(location.href);
  }, [isAnother]);
  return isAnother;
}

function Pages(): ReactNode {
  const { data: me, error, refetch } = useMe();
  const isRefused = useIsRefused();
  const [chats] = useState(() => new Chats());
  const [path] = useLocation();
  const client = useQueryClient();
  useEffect(() => followOtherTabs(client), [client]);
  if (useIsAnother(me, error)) return null;
  const isChat = path === '/' || path.startsWith('/c/');
  return (
    <Shell me={isRefused ? undefined : me}>
      {isRefused && (
        <LazyPart>
          <SignIn hasBegun={me !== undefined} />
        </LazyPart>
      )}
      {/* What was typed stays while the person signs in again. */}
      <Activity mode={isRefused ? 'hidden' : 'visible'}>
        {error !== null &&
          !isRefused &&
          (me === undefined ? (
            <MeFailure error={error} onRetry={() => void refetch()} />
          ) : (
            <Alert error={error} onRetry={() => void refetch()} />
          ))}
        {isChat && (me !== undefined || error === null) && <ChatRoute chats={chats} />}
        {!isChat && me !== undefined && (
          <LazyPart key={path.split('/')[1]}>
            <Switch>
              {me.areas.includes('history') && (
                <Route path="/history">
                  <HistoryPage chats={chats} />
                </Route>
              )}
              {me.areas.includes('account') && (
                <Route path="/account">
                  <AccountPage me={me} />
                </Route>
              )}
              <Route path="/s/:id">
                <SharedPage />
              </Route>
              {(['approvals', 'schedules'] as const).map((area) => (
                <Route key={area} path={`/${area}`}>
                  <OwnPage me={me} area={area} />
                </Route>
              ))}
              {['/admin', '/admin/:area'].map((address) => (
                <Route key={address} path={address}>
                  <AdminPages me={me} />
                </Route>
              ))}
              <Route>
                <MissingPage />
              </Route>
            </Switch>
          </LazyPart>
        )}
      </Activity>
    </Shell>
  );
}

export function App(): ReactNode {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <Pages />
    </QueryClientProvider>
  );
}
