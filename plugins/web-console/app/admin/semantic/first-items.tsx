/** Shows the first of many items, and more of them when a person asks for more. */
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { SEMANTIC as T } from './texts.ts';

const STEP = 100;

export interface FirstItems<Item, Place extends HTMLElement> {
  readonly shown: readonly Item[];
  /** A button that shows more of them; nothing where all are shown. */
  readonly more: ReactNode;
  /** What the items stand in. It takes the focus when the button goes. */
  readonly place: RefObject<Place | null>;
}

export function useFirstItems<Item, Place extends HTMLElement>(items: readonly Item[]): FirstItems<Item, Place> {
  const [limit, setLimit] = useState(STEP);
  const place = useRef<Place>(null);
  const rest = items.length - limit;
  const showMore = () => {
    setLimit(limit + STEP);
    if (rest <= STEP) place.current?.focus();
  };
  const more = rest > 0 && (
    <button type="button" onClick={showMore}>
      {T.more(Math.min(rest, STEP), rest)}
    </button>
  );
  return { shown: items.slice(0, limit), more, place };
}
