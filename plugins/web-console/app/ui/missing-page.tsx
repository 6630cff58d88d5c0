/** Says that there is no such page, or none for this reader. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { TEXTS } from '../texts.ts';
import { useHeadingFocus } from './heading-focus.ts';
import { usePageTitle } from './page-title.ts';

export function MissingPage(): ReactNode {
  usePageTitle(TEXTS.missing.title);
  const heading = useHeadingFocus();
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {TEXTS.missing.title}
      </h1>
      <p>{TEXTS.missing.text}</p>
      <Link href="/">{TEXTS.missing.home}</Link>
    </>
  );
}
