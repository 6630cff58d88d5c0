/** Lists what is wrong with a file; each item leads to its place. */
import type { ReactNode } from 'react';
import { ShownText } from '../../ui/shown-text.tsx';
import type { FilePlace } from './editor/problem-range.ts';
import { isFilePath } from './file-path.ts';
import { useFirstItems } from './first-items.tsx';
import { FileLink } from './layer-links.tsx';
import type { Objection } from './refusal.ts';
import styles from './semantic.module.css';
import { SEMANTIC as T } from './texts.ts';

export interface ObjectionsProps {
  readonly title: string;
  /** The one that is shown. */
  readonly file: string;
  readonly objections: readonly Objection[];
  readonly onGo: (place: FilePlace) => void;
}

export function Objections({ title, file, objections, onGo }: ObjectionsProps): ReactNode {
  const { shown, more, place } = useFirstItems<Objection, HTMLUListElement>(objections);
  if (objections.length === 0) return null;
  return (
    <div role="alert" className={styles.objections}>
      <p>{title}</p>
      <ul ref={place} tabIndex={-1}>
        {shown.map((objection, at) => (
          <li key={at}>
            {objection.file === file ? (
              <button type="button" onClick={() => onGo({ line: objection.line, column: objection.column })}>
                <ShownText text={T.place(objection.line, objection.message)} />
              </button>
            ) : isFilePath(objection.file) ? (
              <>
                <FileLink file={objection.file} view="yaml" />{' '}
                <ShownText text={T.place(objection.line, objection.message)} />
              </>
            ) : (
              // About the layer as a whole.
              <ShownText text={objection.message} />
            )}
          </li>
        ))}
      </ul>
      {more}
    </div>
  );
}
