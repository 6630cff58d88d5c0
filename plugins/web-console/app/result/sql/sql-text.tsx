/** Shows a statement with colours for its keywords. */
import { type ReactNode, useMemo } from 'react';
import { ShownText } from '../../ui/shown-text.tsx';
import styles from './sql.module.css';
import { sqlTokens } from './sql-tokens.ts';

export function SqlText({ sql }: { readonly sql: string }): ReactNode {
  const tokens = useMemo(() => sqlTokens(sql), [sql]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
    <pre className={styles.sql} tabIndex={0} dir="ltr">
      <code>
        {tokens.map(({ text, kind }, at) => (
          <span key={at} className={kind && styles[kind]}>
            <ShownText text={text} kept={'\n\t'} />
          </span>
        ))}
      </code>
    </pre>
  );
}
