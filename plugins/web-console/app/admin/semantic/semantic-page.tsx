/** Chooses between the list of the layer and one of its files by the address. */
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { Me } from '../../api/queries.ts';
import { useHeadingFocus } from '../../ui/heading-focus.ts';
import { MissingPage } from '../../ui/missing-page.tsx';
import { draftsOf } from './drafts.ts';
import { FilePage } from './file-page.tsx';
import { isFilePath } from './file-path.ts';
import { LayerBrowser } from './layer-browser.tsx';

export function SemanticPage({ me }: { readonly me: Me }): ReactNode {
  const [query] = useSearchParams();
  const file = query.get('file');
  // A link or a button that led here is gone.
  const heading = useHeadingFocus(file);
  if (file === null) return <LayerBrowser heading={heading} />;
  return isFilePath(file) ? (
    <FilePage key={file} file={file} drafts={draftsOf(me)} heading={heading} />
  ) : (
    <MissingPage />
  );
}
