/** Shows a part whose code comes when it is needed, and what failed where it does not come. */

import { Component, type ReactNode, Suspense } from 'react';
import { TEXTS } from '../texts.ts';
import styles from './alert.module.css';
import { Loading } from './loading.tsx';

interface Failed {
  readonly hasFailed: boolean;
}

/** A class, as React offers this in no other way. */
class Boundary extends Component<{ readonly children: ReactNode }, Failed> {
  override state: Failed = { hasFailed: false };

  static getDerivedStateFromError(): Failed {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div role="alert" className={styles.alert}>
        <p>{TEXTS.failure.part}</p>
        <button type="button" onClick={() => location.reload()}>
          {TEXTS.failure.reload}
        </button>
      </div>
    );
  }
}

export function LazyPart({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Boundary>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </Boundary>
  );
}
