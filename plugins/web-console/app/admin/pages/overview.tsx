/** Shows how much there is, how the service is, and what answers. */

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Overview } from '../../../../admin-plugins/index.ts';
import { call } from '../../api/client.ts';
import { HEALTH, type Health } from '../../api/health.ts';
import { ADMIN_KEY, type Me } from '../../api/queries.ts';
import { Alert } from '../../ui/alert.tsx';
import { useHeadingFocus } from '../../ui/heading-focus.ts';
import { Loading } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { ShownText } from '../../ui/shown-text.tsx';
import styles from '../admin.module.css';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { type Fact, Facts, State, Text } from '../parts.tsx';
import { ADMIN } from '../texts.ts';
import { useActions } from '../use-actions.tsx';
import { hasViewAs, type Viewed, viewAsClaims } from '../view-as/view-as.tsx';
import { ViewedAnswer } from '../view-as/viewed-answer.tsx';

const T = ADMIN.overview;

function Counts({ overview }: { readonly overview: Overview }): ReactNode {
  const counts: readonly (readonly [string, number])[] = [
    [T.connections, overview.connections],
    [T.entities, overview.entities],
    [T.metrics, overview.metrics],
    [T.terms, overview.glossaryTerms],
    [T.plugins, overview.plugins],
  ];
  return (
    <dl className={styles.counts} aria-label={T.counts}>
      {counts.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{count.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  );
}

function HealthTable({ components }: { readonly components: NonNullable<Health['components']> }): ReactNode {
  return (
    <table className={styles.table} aria-label={T.health}>
      <thead>
        <tr>
          <th scope="col">{T.component}</th>
          <th scope="col">{T.state}</th>
          <th scope="col">{T.note}</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(components).map(([name, { status, message }]) => (
          <tr key={name}>
            <td>
              <Text>{name}</Text>
            </td>
            <td>
              <State isBad={status === 'degraded' || status === 'unhealthy'}>{T.healthOf[status] ?? status}</State>
            </td>
            <td>
              <Text>{message}</Text>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ModelFacts({ me }: { readonly me: Me }): ReactNode {
  const model = me.model as Me['model'] | null;
  const version: Fact = { label: T.version, value: <Text>{me.version}</Text> };
  if (model === null) return <Facts facts={[{ label: T.model, value: T.noModel }, version]} />;
  if (model.isOffline) return <Facts facts={[{ label: T.model, value: T.offline }, version]} />;
  const facts: Fact[] = [
    { label: T.model, value: <Text>{model.modelId}</Text> },
    { label: T.provider, value: <Text>{model.provider}</Text> },
    version,
  ];
  return <Facts facts={facts} />;
}

export function OverviewPage({ me }: { readonly me: Me }): ReactNode {
  usePageTitle(ADMIN.areas.overview);
  const { start, outcome } = useActions();
  const [viewed, setViewed] = useState<Viewed>();
  const heading = useHeadingFocus(viewed);
  const overview = useQuery({
    queryKey: [ADMIN_KEY, 'overview'],
    queryFn: ({ signal }) => call<Overview>('/api/v1/admin/overview', { signal }),
  });
  const health = useQuery(HEALTH);
  const faults = overview.data?.pluginHealth.filter(({ status }) => status !== 'ready') ?? [];
  const error = overview.error ?? health.error;
  return (
    <>
      <div className={styles.heading}>
        <h1 ref={heading} tabIndex={-1}>
          {ADMIN.areas.overview}
        </h1>
        {hasViewAs(me) && (
          <button type="button" onClick={() => start(viewAsClaims(setViewed))}>
            {OPERATION_TEXTS.viewAs.action}
          </button>
        )}
      </div>
      {outcome}
      {viewed !== undefined && <ViewedAnswer viewed={viewed} onClose={() => setViewed(undefined)} />}
      {error !== null && (
        <Alert error={error} onRetry={() => void Promise.all([overview.refetch(), health.refetch()])} />
      )}
      {overview.isPending && <Loading />}
      {overview.data !== undefined && <Counts overview={overview.data} />}
      <section className={`${styles.section} ${styles.facts}`}>
        <h2>{T.model}</h2>
        <ModelFacts me={me} />
      </section>
      {overview.data !== undefined && (
        <section className={styles.section}>
          <h2>{T.faults}</h2>
          {faults.length === 0 && <p>{T.noFaults}</p>}
          <ul>
            {faults.map(({ id, name, status }) => (
              <li key={id}>
                <Link href="/admin/plugins">
                  <ShownText text={name} />
                </Link>{' '}
                <State isBad>{status}</State>
              </li>
            ))}
          </ul>
        </section>
      )}
      {health.data?.components !== undefined && (
        <section className={styles.section}>
          <h2>{T.health}</h2>
          <HealthTable components={health.data.components} />
        </section>
      )}
    </>
  );
}
