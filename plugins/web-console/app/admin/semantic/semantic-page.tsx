/** Chooses between the list of the layer and one of its files by the address. */
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { FilePage } from './file-page.tsx';
import { LayerBrowser } from './layer-browser.tsx';

export function SemanticPage(): ReactNode {
  const [query] = useSearchParams();
  const file = query.get('file');
  return file === null ? <LayerBrowser /> : <FilePage key={file} file={file} />;
}
