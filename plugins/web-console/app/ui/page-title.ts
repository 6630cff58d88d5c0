/** Names the page in the window's title. */
import { useEffect } from 'react';
import { visibleText } from '../../../text-kit/index.ts';
import { TEXTS } from '../texts.ts';

const MAX_CHARACTERS = 80;

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleText(title.slice(0, MAX_CHARACTERS))} · ${TEXTS.product}`;
  }, [title]);
}
