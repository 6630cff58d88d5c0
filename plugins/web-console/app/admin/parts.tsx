/** Shows values as people read them: texts that may hold anything, times, states. */
import type { ReactNode } from 'react';
import styles from './admin.module.css';
import { ADMIN } from './texts.ts';

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A text of a user, a model or a database, which neither reorders nor widens what is around it. */
export function Text({ children }: { readonly children: string | null | undefined }): ReactNode {
  return children === null || children === undefined || children === '' ? '–' : <bdi>{children}</bdi>;
}

export function Code({ children }: { readonly children: string }): ReactNode {
  return (
    // A long statement is scrolled, by the keyboard as well.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <pre tabIndex={0}>
      <bdi>{children}</bdi>
    </pre>
  );
}

export function Time({ at }: { readonly at: string | null | undefined }): ReactNode {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '–';
  return <time dateTime={date.toISOString()}>{DATE.format(date)}</time>;
}

export const yesNo = (value: boolean): string => (value ? ADMIN.yes : ADMIN.no);

/** A state as a word; what needs attention is marked by more than its colour. */
export function State({ children, isBad = false }: { readonly children: string; readonly isBad?: boolean }): ReactNode {
  return (
    <span className={isBad ? styles.bad : undefined}>
      {isBad && <span aria-hidden="true">⚠ </span>}
      {children}
    </span>
  );
}

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
