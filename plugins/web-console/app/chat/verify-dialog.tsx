/** Makes a verified query of an answer: what the server proposes is looked through, and the sender vouches for it. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import type { ResultTable } from '../api/query-result.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Dialog, RequestDialog } from '../ui/dialog.tsx';
import { Loading } from '../ui/loading.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './answer.module.css';

const PATH = '/api/v1/admin/verified';

interface Draft {
  readonly name: string;
  readonly question: string;
  readonly sql: string;
  readonly parameters?: readonly { readonly name: string; readonly type: string; readonly dimension?: string }[];
}

export interface VerifyDialogProps {
  readonly question: string;
  readonly statement: Pick<ResultTable, 'sql' | 'connectionId'>;
  readonly onVerified: () => void;
  readonly onClose: () => void;
}

export function VerifyDialog({ question, statement, onVerified, onClose }: VerifyDialogProps): ReactNode {
  const { sql, connectionId } = statement;
  const { data, error } = useQuery({
    queryKey: ['verified-proposal', question, sql, connectionId],
    queryFn: ({ signal }) =>
      call<Draft>(`${PATH}/propose`, { method: 'POST', body: { question, sql, connectionId }, signal }),
    retry: false,
  });
  const [edited, setEdited] = useState<Partial<Draft>>({});
  if (data === undefined) {
    return (
      <Dialog title={TEXTS.verify.title} onClose={onClose}>
        {error === null ? <Loading /> : <Alert error={error} />}
      </Dialog>
    );
  }
  const draft = { ...data, ...edited };
  const { parameters = [] } = draft;
  const send = async () => {
    await call(PATH, { method: 'POST', body: draft });
    onVerified();
  };
  const field = (name: 'name' | 'question' | 'sql', rows: number) => (
    <label className={styles.form}>
      {TEXTS.verify[name]}
      <textarea
        required
        rows={rows}
        spellCheck={name === 'question'}
        value={draft[name]}
        onChange={({ target }) => setEdited((before) => ({ ...before, [name]: target.value }))}
      />
    </label>
  );
  return (
    <RequestDialog isWide title={TEXTS.verify.title} action={TEXTS.answer.verify} onSubmit={send} onClose={onClose}>
      <p>{TEXTS.verify.text}</p>
      {field('name', 1)}
      {field('question', 2)}
      {field('sql', 8)}
      {parameters.length > 0 && (
        <dl aria-label={TEXTS.verify.parameters} className={styles.muted}>
          {parameters.map(({ name, type, dimension }) => (
            <div key={name}>
              <dt>
                <ShownText text={`{${name}}`} />
              </dt>
              <dd>
                <ShownText text={dimension ?? type} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </RequestDialog>
  );
}
