/** Shows the statement as it was asked beside the one executed, with who changed it and why. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { milliseconds } from '../../counted.ts';
import { ShownText, visibleNodes } from '../../ui/shown-text.tsx';
import { RESULT_TEXTS } from '../texts.ts';
import styles from './sql.module.css';
import { SqlText } from './sql-text.tsx';
import type { ShownStatement } from './statement-shown.ts';

const TEXTS = RESULT_TEXTS.ran;

export interface WhatRanProps {
  readonly statement: ShownStatement;
  readonly hasAudit: boolean;
}

export function WhatRan({ statement, hasAudit }: WhatRanProps): ReactNode {
  const { connectionId, tables, durationMs, rowCount, truncated, auditId } = statement;
  return (
    <section aria-label={TEXTS.title} className={styles.ran}>
      <details open>
        <summary>{TEXTS.title}</summary>
        <Statements {...statement} />
        <dl className={styles.facts}>
          {tables.length > 0 && <Fact name={TEXTS.tables} value={tables.join(', ')} />}
          <Fact name={TEXTS.connection} value={connectionId} />
          <Fact name={TEXTS.duration} value={milliseconds(durationMs)} />
          <Fact name={TEXTS.rows} value={truncated ? TEXTS.truncated(rowCount) : RESULT_TEXTS.rows(rowCount)} />
          {auditId !== null && (
            <Fact
              name={TEXTS.audit}
              value={auditId}
              href={hasAudit ? `/admin/audit?id=${encodeURIComponent(auditId)}` : undefined}
            />
          )}
        </dl>
      </details>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly href?: string | undefined;
}

function Fact({ name, value, href }: FactProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">
        {href === undefined ? <ShownText text={value} /> : <Link href={href}>{visibleNodes(value)}</Link>}
      </dd>
    </div>
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
        {changes === undefined || changes.length === 0 ? (
          <p>{changes === undefined ? TEXTS.untoldChanges : TEXTS.noChanges}</p>
        ) : (
          <ul className={styles.changes}>
            {changes.map(({ plugin, reason }, at) => (
              <li key={at}>
                <code>
                  <ShownText text={plugin} />
                </code>
                : <ShownText text={reason} />
              </li>
            ))}
          </ul>
        )}
      </figure>
    </div>
  );
}
