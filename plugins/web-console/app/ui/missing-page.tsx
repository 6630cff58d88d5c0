/** Says that there is no such page, or none for this reader. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { TEXTS } from '../texts.ts';
import { usePageTitle } from './page-title.ts';

export function MissingPage(): ReactNode {
  usePageTitle(TEXTS.missing.title);
  return (
    <>
      <h1>{TEXTS.missing.title}</h1>
      <p>{TEXTS.missing.text}</p>
      <Link href="/">{TEXTS.missing.home}</Link>
    </>
  );
}
