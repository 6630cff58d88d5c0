/**
 * Gives the keyboard its place on a page: the heading, when another page led here, and when what had the focus is taken
 * from the page, such as a row that was deleted.
 */
import { type RefObject, useEffect, useRef } from 'react';

/** What had the focus last, which may be gone. */
let last: Element | undefined;
addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) last = target;
});

/** The ref of the page's heading; `shown`: what changes when something is taken away. */
export function useHeadingFocus(shown?: unknown): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The first page begins where the browser begins.
    if (last !== undefined) heading.current?.focus();
  }, []);
  useEffect(() => {
    if (last?.isConnected === false && document.activeElement === document.body) heading.current?.focus();
  }, [shown]);
  return heading;
}
