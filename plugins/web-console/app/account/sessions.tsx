/** Lists the sessions of the account, and ends those that should not be. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import { timeText } from '../ui/time.tsx';
import styles from './account.module.css';

interface Session {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
}

export const SESSIONS = ['sessions'];
/** How much is shown of what a browser says about itself. */
const MAX_DEVICE_CHARACTERS = 160;

async function readSessions(signal: AbortSignal) {
  const [sessions, current] = await Promise.all([
    call<readonly Session[]>('/api/auth/list-sessions', { signal }),
    call<{ readonly session: Pick<Session, 'id'> } | null>('/api/auth/get-session', { signal }),
  ]);
  const newest = sessions.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return { sessions: newest, currentId: current?.session.id };
}

const deviceOf = ({ userAgent }: Session) =>
  userAgent === null || userAgent === '' ? TEXTS.accountPage.unknownDevice : userAgent.slice(0, MAX_DEVICE_CHARACTERS);

export function Sessions(): ReactNode {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: SESSIONS, queryFn: ({ signal }) => readSessions(signal) });
  const [failure, setFailure] = useState<unknown>();
  const end = async (path: string, body: object) => {
    setFailure(undefined);
    try {
      await call(`/api/auth/${path}`, { method: 'POST', body });
      await client.invalidateQueries({ queryKey: SESSIONS });
    } catch (problem) {
      setFailure(problem);
    }
  };
  const { sessions = [], currentId } = data ?? {};
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{TEXTS.accountPage.sessions}</h2>
      {error !== null && <Alert error={error} onRetry={() => void refetch()} />}
      {failure !== undefined && <Alert error={failure} />}
      <ul className={styles.list} aria-labelledby="sessions">
        {sessions.map((session) => (
          <li key={session.id}>
            <span>
              <ShownText text={deviceOf(session)} />
              <small>
                {[
                  session.ipAddress ?? '',
                  TEXTS.accountPage.begun(timeText(session.createdAt)),
                  TEXTS.accountPage.ends(timeText(session.expiresAt)),
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </small>
            </span>
            {session.id === currentId ? (
              <strong>{TEXTS.accountPage.current}</strong>
            ) : (
              <button
                type="button"
                aria-label={TEXTS.accountPage.revokeOf(deviceOf(session))}
                onClick={() => void end('revoke-session', { token: session.token })}
              >
                {TEXTS.accountPage.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <p>
          <button type="button" data-kind="danger" onClick={() => void end('revoke-other-sessions', {})}>
            {TEXTS.accountPage.revokeOthers}
          </button>
        </p>
      )}
    </section>
  );
}
