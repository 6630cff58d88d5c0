/** Exports all rows of an answer that the limit of rows has cut, and downloads the file when it is finished. */
import { type ReactNode, useEffect, useState } from 'react';
import { call, send } from '../api/client.ts';
import { authorization } from '../api/credential.ts';
import { ApiError, failureOf } from '../api/failure.ts';
import { TEXTS } from '../texts.ts';
import { download } from '../ui/download.ts';

const POLL_MS = 1_000;

interface Export {
  readonly id: string;
  readonly status: 'waiting' | 'running' | 'finished' | 'failed';
  readonly rows: number;
  readonly error: string | null;
  readonly url?: string;
}

/** The browser saves it without holding it, but sends no key and no token of this tab. */
async function take({ id, url = '' }: Export): Promise<void> {
  const path = new URL(url, location.origin);
  const file = `/api/v1/exports/${encodeURIComponent(id)}/file${path.search}`;
  if (Object.keys(authorization()).length === 0) {
    location.assign(file);
    return;
  }
  const response = await send(file);
  if (!response.ok) throw await failureOf(response);
  download(await response.blob(), `export-${id}.csv`);
}

export interface ExportAllProps {
  readonly stored: { readonly conversationId: string; readonly messageId: string };
  readonly onError: (error: unknown) => void;
}

export function ExportAll({ stored, onError }: ExportAllProps): ReactNode {
  const [running, setRunning] = useState<Export>();
  const [isStarting, setStarting] = useState(false);
  useEffect(() => {
    if (running === undefined) return undefined;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const next = await call<Export>(`/api/v1/exports/${encodeURIComponent(running.id)}`, { signal: leave.signal });
        if (next.status === 'failed')
          throw new ApiError({ message: next.error ?? TEXTS.answer.exportFailed, status: 0 });
        if (next.status === 'finished') await take(next);
        setRunning(next.status === 'finished' ? undefined : next);
      } catch (error) {
        if (leave.signal.aborted) return;
        setRunning(undefined);
        onError(error);
      }
    }, POLL_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [running, onError]);
  const begin = () => {
    setStarting(true);
    call<Export>('/api/v1/exports', { method: 'POST', body: { ...stored, format: 'csv' } })
      .then(setRunning, onError)
      .finally(() => setStarting(false));
  };
  return (
    <button type="button" data-kind="quiet" disabled={isStarting || running !== undefined} onClick={begin}>
      {running === undefined ? TEXTS.answer.exportAll : TEXTS.answer.exporting(running.rows)}
    </button>
  );
}
