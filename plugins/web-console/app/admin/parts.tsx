/** Shows values as people read them: texts that may hold anything, code, states, facts. */
import type { ReactNode } from 'react';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './admin.module.css';
import { ADMIN } from './texts.ts';

/** A text of a user, a model or a database, which neither reorders nor widens what is around it. */
export function Text({ children }: { readonly children: string | null | undefined }): ReactNode {
  return children === null || children === undefined || children === '' ? '–' : <ShownText text={children} />;
}

export function Code({ children }: { readonly children: string }): ReactNode {
  return (
    // A long statement is scrolled, by the keyboard as well.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <pre tabIndex={0}>
      <ShownText text={children} kept={'\n\t'} />
    </pre>
  );
}

export const yesNo = (value: boolean): string => (value ? ADMIN.yes : ADMIN.no);

/** A state as a word; what needs attention is marked by more than its colour. */
export function State({ children, isBad = false }: { readonly children: string; readonly isBad?: boolean }): ReactNode {
  return (
    <span className={isBad ? styles.bad : undefined}>
      {isBad && <span aria-hidden="true">⚠ </span>}
      <ShownText text={children} />
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
