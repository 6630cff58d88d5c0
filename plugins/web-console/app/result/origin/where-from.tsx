/** Shows where the rows come from: tables with how new they are, measures, conditions, periods, and how it was read. */
import type { ReactNode } from 'react';
import { freshnessText, type Provenance } from '../../../../result-kit/index.ts';
import { ShownText } from '../../ui/shown-text.tsx';
import { RESULT_TEXTS } from '../texts.ts';
import styles from './origin.module.css';

const TEXTS = RESULT_TEXTS.origin;

export default function WhereFrom({ origin }: { readonly origin: Provenance }): ReactNode {
  const { tables, measures, filters, periods, joins, policies, limit, assumptions } = origin;
  const late = tables.flatMap(({ name, freshness }) =>
    freshness?.isLate ? [`${name}: ${freshnessText(freshness)}`] : [],
  );
  const limits = [
    ...policies.map((policy) => TEXTS.policies[policy]),
    ...(limit.rows === null ? [] : [TEXTS.limit(limit.rows)]),
    ...(limit.sampled ? [TEXTS.sampled] : []),
    ...(limit.truncated ? [TEXTS.truncated] : []),
  ];
  const named = (text: string, part: string | undefined) =>
    part === undefined ? text : `${text} (${TEXTS.only(part)})`;
  return (
    <section aria-label={TEXTS.title} className={styles.origin}>
      {late.map((text) => (
        <p key={text} className={styles.late}>
          <ShownText text={text} />
        </p>
      ))}
      <details>
        <summary>
          <ShownText text={TEXTS.summary(tables.map(({ name }) => name).join(', '))} />
        </summary>
        <dl>
          <Facts
            name={TEXTS.tables}
            texts={tables.map(({ name, freshness }) =>
              freshness === null ? name : `${name}: ${freshness.column} ${freshnessText(freshness)}`,
            )}
          />
          <Facts name={TEXTS.measures} texts={measures.map(({ name, definition }) => `${name}: ${definition}`)} />
          <Facts
            name={TEXTS.periods}
            texts={periods.map(({ text, timeZone, part }) =>
              named(timeZone === null ? text : `${text} (${timeZone})`, part),
            )}
          />
          <Facts name={TEXTS.filters} texts={filters.map(({ text, part }) => named(text, part))} />
          <Facts name={TEXTS.joins} texts={joins.map(joinText)} />
          <Facts name={TEXTS.limits} texts={limits} />
          <Facts name={TEXTS.assumptions} texts={assumptions} />
        </dl>
      </details>
    </section>
  );
}

const joinText = ({ from, to, on }: Provenance['joins'][number]) =>
  on.map((pair) => `${from}.${pair.from} = ${to}.${pair.to}`).join(', ');

function Facts({ name, texts }: { readonly name: string; readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      {texts.map((text, at) => (
        <dd key={at} dir="auto">
          <ShownText text={text} />
        </dd>
      ))}
    </div>
  );
}
