/** The page of a shared answer: its question, and the rows that its reader may see, as they are now. */

import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useParams } from 'wouter';
import type { Share, ShareResult } from '../../../shares/index.ts';
import { call } from '../api/client.ts';
import { ApiError } from '../api/failure.ts';
import { Result } from '../result/result.tsx';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Loading } from '../ui/loading.tsx';
import { MissingPage } from '../ui/missing-page.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './shared-page.module.css';

export function SharedPage(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const path = `/api/v1/shares/${encodeURIComponent(id)}`;
  const [isAsking, setIsAsking] = useState(false);
  const share = useQuery({
    queryKey: ['share', id],
    queryFn: ({ signal }) => call<Share>(path, { signal }),
  });
  const { mutate: run, ...ran } = useMutation({
    mutationFn: () => call<ShareResult>(`${path}/run`, { method: 'POST' }),
  });
  const revoked = useMutation({ mutationFn: () => call(path, { method: 'DELETE' }) });
  const isFound = share.data !== undefined;
  useEffect(() => {
    if (isFound) run();
  }, [isFound, run]);
  usePageTitle(share.data?.question ?? TEXTS.answer.share);
  const { error } = share;
  if (revoked.isSuccess || (error instanceof ApiError && [400, 404].includes(error.status))) return <MissingPage />;
  if (error !== null) return <Alert error={error} onRetry={() => void share.refetch()} />;
  if (share.data === undefined) return <Loading />;
  const { question, isOwn } = share.data;
  return (
    <div className={styles.page}>
      <h1>
        <ShownText text={question} />
      </h1>
      <p>{TEXTS.share.text}</p>
      <div className={styles.buttons}>
        <button type="button" onClick={() => run()} disabled={ran.isPending}>
          {TEXTS.answer.run}
        </button>
        {isOwn && (
          <button type="button" onClick={() => setIsAsking(true)}>
            {TEXTS.share.withdraw}
          </button>
        )}
      </div>
      <p role="status" className={ran.isPending ? undefined : 'visually-hidden'}>
        {ran.isPending ? TEXTS.answer.working : ran.isSuccess ? TEXTS.answer.complete : ''}
      </p>
      {ran.error !== null && <Alert error={ran.error} onRetry={() => run()} />}
      {revoked.error !== null && <Alert error={revoked.error} />}
      {ran.data !== undefined && <h2 className="visually-hidden">{TEXTS.share.result}</h2>}
      {ran.data?.data.map((table, index) => (
        <Result
          key={table.sql + String(index)}
          question={question}
          table={table}
          isStored={false}
          isCurrent={index === 0}
        />
      ))}
      {isAsking && (
        <Confirm
          title={TEXTS.share.withdrawTitle}
          text={TEXTS.share.withdrawText}
          action={TEXTS.share.withdraw}
          onConfirm={() => revoked.mutate()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}
