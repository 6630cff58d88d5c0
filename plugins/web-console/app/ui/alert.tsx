/** Shows what failed, with what to do. */
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../api/failure.ts';
import { TEXTS } from '../texts.ts';
import styles from './alert.module.css';
import { ShownText } from './shown-text.tsx';

/** Its cause stands in the server's log, beside the id of the request. */
const MIN_SERVER_FAULT = 500;

export interface AlertProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** Seconds until `error` says that trying again makes sense, counted down. */
function useWait(error: unknown): number {
  const wait = error instanceof ApiError ? Math.ceil(error.retryAfterSeconds ?? 0) : 0;
  const [left, setLeft] = useState(wait);
  useEffect(() => {
    setLeft(wait);
    if (wait === 0) return undefined;
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1_000);
    return () => clearInterval(timer);
    // Another failure with the same time begins anew.
  }, [error, wait]);
  return left;
}

export function Alert({ error, onRetry }: AlertProps): ReactNode {
  const wait = useWait(error);
  return (
    <div role="alert" className={styles.alert}>
      <p>
        <ShownText text={messageOf(error)} />
        {error instanceof ApiError && error.status >= MIN_SERVER_FAULT && error.requestId !== undefined && (
          <small> {TEXTS.failure.request(error.requestId)}</small>
        )}
      </p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry} disabled={wait > 0}>
          {wait > 0 ? TEXTS.failure.wait(wait) : TEXTS.tryAgain}
        </button>
      )}
    </div>
  );
}
