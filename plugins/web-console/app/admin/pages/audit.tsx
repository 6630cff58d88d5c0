/** Shows the audit log: who asked which statement, what came of it, and how many there were each day. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { AuditEntry, AuditStats } from '../../../../audit/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY, type Me } from '../../api/queries.ts';
import { milliseconds } from '../../counted.ts';
import { chatHref } from '../../shell/pages.ts';
import { Alert } from '../../ui/alert.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { DayChart } from '../day-chart.tsx';
import { DownloadButton } from '../download-button.tsx';
import { queryOf } from '../list-query.ts';
import { Code, type Fact, Facts, State, Text } from '../parts.tsx';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.audit;
const PATH = '/api/v1/admin/audit';

function Entry({ entry, me }: { readonly entry: AuditEntry; readonly me: Me }): ReactNode {
  const { conversationId } = entry;
  const isOwn = me.user === null ? entry.userId === null : me.user.id === entry.userId;
  const facts: Fact[] = [
    { label: T.tables, value: <Text>{entry.tables.join(', ')}</Text> },
    ...(entry.error === null ? [] : [{ label: T.error, value: <Text>{entry.error}</Text> }]),
    ...(entry.cached ? [{ label: T.cached, value: <Text>{T.cachedText}</Text> }] : []),
    { label: T.surface, value: <Text>{entry.surface}</Text> },
    { label: T.mode, value: <Text>{entry.authMode}</Text> },
    { label: T.request, value: <Text>{entry.requestId}</Text> },
    ...(conversationId === null
      ? []
      : [
          {
            label: T.conversation,
            value: isOwn ? (
              <Link href={chatHref(conversationId)}>{T.open}</Link>
            ) : (
              <>
                <Text>{conversationId}</Text> {T.onlyOwn}
              </>
            ),
          },
        ]),
    { label: T.id, value: <Link href={`/admin/audit?id=${encodeURIComponent(entry.id)}`}>{T.link}</Link> },
  ];
  return (
    <>
      <Code>{entry.sql}</Code>
      <Facts facts={facts} />
    </>
  );
}

const resourceOf = (me: Me): Resource<AuditEntry> => ({
  title: ADMIN.areas.audit,
  intro: T.intro,
  path: PATH,
  key: 'entries',
  hasPages: true,
  filters: [
    { name: 'text', label: T.text, kind: 'search', maxLength: 200 },
    { name: 'user', label: T.userId },
    {
      name: 'success',
      label: T.outcome,
      options: [
        { value: '', label: ADMIN.any },
        { value: 'true', label: T.ran },
        { value: 'false', label: T.failed },
      ],
    },
    { name: 'connection', label: T.connection },
    { name: 'from', label: T.from, kind: 'date' },
    { name: 'to', label: T.to, kind: 'date' },
    { name: 'id', label: T.id },
  ],
  columns: [
    { label: T.time, cell: ({ timestamp }) => <Time at={timestamp} /> },
    { label: T.user, cell: ({ userLabel, userId }) => <Text>{userLabel ?? userId}</Text> },
    { label: T.statement, cell: ({ sql }) => <Text>{sql}</Text> },
    {
      label: T.outcome,
      cell: ({ success }) => <State isBad={!success}>{success ? T.ran : T.failed}</State>,
    },
    { label: T.connection, cell: ({ connectionId }) => <Text>{connectionId}</Text> },
    { label: T.rows, isNumber: true, cell: ({ rowCount }) => rowCount.toLocaleString() },
    { label: T.duration, isNumber: true, cell: ({ durationMs }) => milliseconds(durationMs) },
  ],
  nameOf: ({ sql }) => sql.slice(0, 80),
  idOf: ({ id }) => id,
  detail: (entry) => <Entry entry={entry} me={me} />,
  empty: T.empty,
});

export function AuditPage({ me }: { readonly me: Me }): ReactNode {
  const resource = resourceOf(me);
  const [search] = useSearchParams();
  const { data, error } = useQuery({
    queryKey: [ADMIN_KEY, `${PATH}/stats`],
    queryFn: ({ signal }) => call<AuditStats>(`${PATH}/stats`, { signal }),
  });
  const query = queryOf({ ...resource, hasPages: false } as Resource<never>, search);
  return (
    <ResourcePage resource={resource}>
      {error !== null && <Alert error={error} />}
      {data !== undefined && (
        <DayChart
          title={T.chart}
          summary={T.summary(data.totalQueries, data.errorCount)}
          days={data.queriesPerDay}
          labels={{ day: T.day, count: T.count }}
        />
      )}
      <div className={styles.export}>
        <DownloadButton path={`${PATH}/export?${query}`} name="audit.csv">
          {T.export}
        </DownloadButton>
      </div>
    </ResourcePage>
  );
}
