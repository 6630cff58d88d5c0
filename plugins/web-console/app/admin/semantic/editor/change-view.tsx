/** Shows what changes from one text to another, in one column. */
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ReactNode } from 'react';
import { DELETED_CHARACTERS_SHOWN } from './hidden-characters.ts';
import { useShadowPlace } from './shadow-place.ts';
import { sharedExtensions } from './yaml-view.ts';

export interface ChangeViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Lines that are shown around a change. */
const MARGIN = 3;

/** Shows the texts of the first rendering. */
export default function ChangeView({ label, before, after }: ChangeViewProps): ReactNode {
  const place = useShadowPlace((parent) => {
    const view = new EditorView({
      doc: after,
      parent,
      root: parent,
      extensions: [
        sharedExtensions(label, { 'aria-readonly': 'true' }),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          gutter: false,
          collapseUnchanged: { margin: MARGIN },
        }),
        DELETED_CHARACTERS_SHOWN,
      ],
    });
    return () => view.destroy();
  });
  return <div ref={place} />;
}
