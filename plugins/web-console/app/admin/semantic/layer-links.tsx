/** Leads to the files of the layer, by their addresses. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ShownText } from '../../ui/shown-text.tsx';

export const LAYER_PATH = '/admin/semantic';

export const FILE_VIEWS = ['contents', 'yaml', 'versions'] as const;
export type FileView = (typeof FILE_VIEWS)[number];

export function addressOf(file: string, view: FileView = 'contents'): string {
  const query = new URLSearchParams({ file, ...(view !== 'contents' && { view }) });
  return `${LAYER_PATH}?${query}`;
}

export interface FileLinkProps {
  readonly file: string;
  readonly view?: FileView;
  /** What the link shows; the path of the file without it. */
  readonly text?: string;
}

export function FileLink({ file, view, text = file }: FileLinkProps): ReactNode {
  return (
    <Link href={addressOf(file, view)}>
      <ShownText text={text} />
    </Link>
  );
}
