/** Keeps a place for the keyboard when what had the focus is taken from the page, such as a row that was deleted. */
import { type RefObject, useEffect, useRef } from 'react';

/** The ref of the page's heading, which takes the focus then; `shown`: what changes when something is taken away. */
export function useHeadingFocus(shown: unknown): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef<EventTarget | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      last.current = target;
    };
    addEventListener('focusin', onFocus);
    return () => removeEventListener('focusin', onFocus);
  }, []);
  useEffect(() => {
    const isGone = last.current instanceof Element && !last.current.isConnected;
    if (isGone && document.activeElement === document.body) heading.current?.focus();
  }, [shown]);
  return heading;
}
