/** Gives an element a shadow root, in which the editor's styles need no permission of the page's policy. */
import { type RefObject, useEffect, useRef } from 'react';

/** Calls `mount` with the shadow root of the element that takes the ref, and what it returns when that is gone. */
export function useShadowPlace(mount: (root: ShadowRoot) => () => void): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(mount);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    return latest.current(element.shadowRoot ?? element.attachShadow({ mode: 'open' }));
  }, []);
  return place;
}
