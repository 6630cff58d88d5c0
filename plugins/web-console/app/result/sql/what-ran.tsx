/** Shows the statement as it was asked beside the one executed, with who changed it and why. */
import type { ReactNode } from 'react';
import { ShownText } from '../parts/shown-text.tsx';
import { RESULT_TEXTS } from '../texts.ts';
import styles from './sql.module.css';
import { SqlText } from './sql-text.tsx';
import type { ShownStatement } from './statement-shown.ts';

const TEXTS = RESULT_TEXTS.ran;

export function WhatRan({ statement }: { readonly statement: ShownStatement }): ReactNode {
  const { connectionId, tables, durationMs, rowCount, truncated, auditId } = statement;
  const facts: readonly (readonly [string, string])[] = [
    [TEXTS.tables, tables.join(', ')],
    [TEXTS.connection, connectionId],
    [TEXTS.duration, TEXTS.milliseconds(durationMs)],
    [TEXTS.rows, truncated ? TEXTS.truncated(rowCount) : RESULT_TEXTS.rows(rowCount)],
    [TEXTS.audit, auditId ?? ''],
  ];
  return (
    <section aria-label={TEXTS.title} className={styles.ran}>
      <details open>
        <summary>{TEXTS.title}</summary>
        <Statements {...statement} />
        <dl className={styles.facts}>
          {facts
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd dir="auto">
                  <ShownText text={value} />
                </dd>
              </div>
            ))}
        </dl>
      </details>
    </section>
  );
}

function Statements({ asked, executed, changes }: ShownStatement): ReactNode {
  return (
    <div className={styles.statements}>
      {asked === undefined && executed === undefined && <p>{TEXTS.hidden}</p>}
      {asked !== undefined && (
        <figure>
          <figcaption>{TEXTS.asked}</figcaption>
          <SqlText sql={asked} />
        </figure>
      )}
      {executed !== undefined && (
        <figure>
          <figcaption>{TEXTS.executed}</figcaption>
          {executed === asked ? <p>{TEXTS.unchanged}</p> : <SqlText sql={executed} />}
        </figure>
      )}
      <figure>
        <figcaption>{TEXTS.changes}</figcaption>
        {changes.length === 0 ? (
          <p>{TEXTS.noChanges}</p>
        ) : (
          <ul className={styles.changes}>
            {changes.map(({ plugin, reason }, at) => (
              <li key={at}>
                <bdi>
                  <code>{plugin}</code>: <ShownText text={reason} />
                </bdi>
              </li>
            ))}
          </ul>
        )}
      </figure>
    </div>
  );
}
