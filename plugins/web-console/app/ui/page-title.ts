/** Names the page in the window's title. */
import { useEffect } from 'react';
import { TEXTS } from '../texts.ts';

const MOST = 80;

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.slice(0, MOST)} · ${TEXTS.product}`;
  }, [title]);
}
