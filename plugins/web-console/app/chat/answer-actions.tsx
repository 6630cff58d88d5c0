/** Shows what can be done with an answer: ask again, judge it, share it. */
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { useHasArea } from '../api/queries.ts';
import type { ResultTable } from '../api/query-result.ts';
import { TEXTS } from '../texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog, RequestDialog } from '../ui/dialog.tsx';
import { LazyPart } from '../ui/lazy-part.tsx';
import styles from './answer.module.css';
import { ExportAll } from './export-all.tsx';

const VerifyDialog = lazy(() => import('./verify-dialog.tsx').then((part) => ({ default: part.VerifyDialog })));

export interface AnswerActionsProps {
  /** Where the answer is stored; without it there is nothing to judge or share. */
  readonly stored: { readonly conversationId: string; readonly messageId: string } | undefined;
  readonly question: string;
  /** What answered it; missing where there is none, or where it may not be seen. */
  readonly statement: Pick<ResultTable, 'sql' | 'connectionId'> | undefined;
  /** The limit of rows has cut it, and this server exports all of them. */
  readonly isExportable: boolean;
  readonly rating: 'good' | 'bad' | undefined;
  readonly onEdit: () => void;
  /** Only the last answer can be replaced. */
  readonly onAskAgain: (() => void) | undefined;
  readonly onRunAgain: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

function ReasonDialog(props: { onSend: (reason: string) => Promise<void>; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <RequestDialog
      title={TEXTS.answer.bad}
      action={TEXTS.answer.send}
      onSubmit={() => props.onSend(reason.trim())}
      onClose={props.onClose}
    >
      <label className={styles.form}>
        {TEXTS.answer.reason}
        <textarea maxLength={2_000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </RequestDialog>
  );
}

function ShareDialog({ url, onClose }: { readonly url: string; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title={TEXTS.answer.share} onClose={onClose}>
      <label className={styles.form}>
        {TEXTS.answer.shared}
        <input readOnly value={url} onFocus={(event) => event.target.select()} />
      </label>
      <div className={styles.buttons}>
        <button type="button" onClick={onClose}>
          {TEXTS.close}
        </button>
        <CopyButton label={TEXTS.answer.copy} text={url} />
      </div>
    </Dialog>
  );
}

export function AnswerActions(props: AnswerActionsProps): ReactNode {
  const { stored, question, statement, onEdit, onAskAgain, onRunAgain, onError } = props;
  const canShare = useHasArea('shares');
  const canVerify = useHasArea('verified');
  const [verification, setVerification] = useState<'begun' | 'done'>();
  const client = useQueryClient();
  const ratingKey = ['rating', stored?.conversationId, stored?.messageId];
  // The message says what it was when it was read; what this tab has given since is kept for as long as the page.
  const { data: rating = props.rating } = useQuery<'good' | 'bad'>({
    queryKey: ratingKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const [isAsking, setIsAsking] = useState(false);
  const [url, setUrl] = useState<string>();
  /** Throws `ApiError`. */
  const rate = async (given: 'good' | 'bad', reason = '') => {
    if (stored === undefined) return;
    const [conversation, message] = [stored.conversationId, stored.messageId].map(encodeURIComponent);
    const path = `/api/v1/conversations/${conversation}/messages/${message}/feedback`;
    await call(path, { method: 'PUT', body: { rating: given, ...(reason !== '' && { reason }) } });
    client.setQueryData(ratingKey, given);
  };
  const share = () => {
    call<{ url: string }>('/api/v1/shares', { method: 'POST', body: stored }).then(
      (made) => setUrl(new URL(made.url, location.origin).href),
      onError,
    );
  };
  return (
    <div className={styles.actions}>
      <button type="button" data-kind="quiet" onClick={onEdit}>
        {TEXTS.answer.edit}
      </button>
      {onAskAgain !== undefined && (
        <button type="button" data-kind="quiet" onClick={onAskAgain}>
          {TEXTS.answer.again}
        </button>
      )}
      {onRunAgain !== undefined && (
        <button type="button" data-kind="quiet" onClick={onRunAgain}>
          {TEXTS.answer.run}
        </button>
      )}
      {stored !== undefined && (
        <>
          <button
            type="button"
            data-kind="quiet"
            aria-pressed={rating === 'good'}
            onClick={() => void rate('good').catch(onError)}
          >
            {TEXTS.answer.good}
          </button>
          <button type="button" data-kind="quiet" aria-pressed={rating === 'bad'} onClick={() => setIsAsking(true)}>
            {TEXTS.answer.bad}
          </button>
          {canShare && (
            <button type="button" data-kind="quiet" onClick={share}>
              {TEXTS.answer.share}
            </button>
          )}
          {props.isExportable && <ExportAll stored={stored} onError={onError} />}
        </>
      )}
      {canVerify && statement !== undefined && (
        <button
          type="button"
          data-kind="quiet"
          disabled={verification === 'done'}
          onClick={() => setVerification('begun')}
        >
          {verification === 'done' ? TEXTS.answer.isVerified : TEXTS.answer.verify}
        </button>
      )}
      {verification === 'begun' && statement !== undefined && (
        <LazyPart>
          <VerifyDialog
            question={question}
            statement={statement}
            onVerified={() => setVerification('done')}
            onClose={() => setVerification((now) => (now === 'done' ? now : undefined))}
          />
        </LazyPart>
      )}
      {isAsking && <ReasonDialog onSend={(reason) => rate('bad', reason)} onClose={() => setIsAsking(false)} />}
      {url !== undefined && <ShareDialog url={url} onClose={() => setUrl(undefined)} />}
    </div>
  );
}
