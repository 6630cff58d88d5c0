/** Keeps view, sort and filter of a result, and those of the current one in the page's address. */
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { ResultColumn } from '../../../chart-kit/index.ts';
import { FIRST_VIEW, queryOf, stateOf, type ViewState } from './view-state.ts';

type Change = (state: ViewState) => ViewState;

function writeQuery(query: string): void {
  const { pathname, search, hash } = window.location;
  if (query !== search) window.history.replaceState(window.history.state, '', pathname + query + hash);
}

/** A result that stops being the current one takes its state out of the address, where the next one would find it. */
export function useViewState(columns: readonly ResultColumn[], isCurrent: boolean) {
  const [state, setState] = useState(FIRST_VIEW);
  const latest = useRef({ state, columns });
  latest.current = { state, columns };
  const wasCurrent = useRef(false);

  useLayoutEffect(() => {
    if (isCurrent && !wasCurrent.current) {
      const found = stateOf(window.location.search, latest.current.columns);
      latest.current = { ...latest.current, state: found };
      setState(found);
    }
    if (!isCurrent && wasCurrent.current) writeQuery(queryOf(FIRST_VIEW, [], window.location.search));
    wasCurrent.current = isCurrent;
  }, [isCurrent]);

  const change = useCallback(
    (next: Change) => {
      const changed = next(latest.current.state);
      latest.current = { ...latest.current, state: changed };
      setState(changed);
      if (isCurrent) writeQuery(queryOf(changed, latest.current.columns, window.location.search));
    },
    [isCurrent],
  );
  return [state, change] as const;
}
