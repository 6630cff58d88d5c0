/** Shows the text editor for YAML. */
import type { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import type { FilePlace } from './problem-range.ts';
import { useShadowPlace } from './shadow-place.ts';
import {
  createYamlView,
  type FileProblem,
  goTo,
  markProblems,
  replaceText,
  type YamlViewOptions,
} from './yaml-view.ts';

export interface YamlEditorProps extends Omit<YamlViewOptions, 'parent'> {
  /** Another object takes the place of what has been typed. */
  readonly replacement: { readonly text: string } | undefined;
  readonly problems: readonly FileProblem[];
  /** Where the cursor goes; another object of the same place leads there again. */
  readonly target: FilePlace | undefined;
}

/** `text`, `label`, `hint` and `isReadOnly` are those of the first rendering. */
export default function YamlEditor(props: YamlEditorProps): ReactNode {
  const { replacement, problems, target } = props;
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  latest.current = props;
  const place = useShadowPlace((parent) => {
    view.current = createYamlView({
      ...latest.current,
      parent,
      onChange: (changed) => latest.current.onChange(changed),
      suggest: (...question) => latest.current.suggest(...question),
    });
    return () => view.current?.destroy();
  });
  // All effects run again when the page is shown again after signing in; what was done once is not done then.
  const replaced = useRef(replacement);
  useEffect(() => {
    if (view.current === null || replacement === undefined || replaced.current === replacement) return;
    replaced.current = replacement;
    replaceText(view.current, replacement.text);
  }, [replacement]);
  useEffect(() => {
    if (view.current !== null) markProblems(view.current, problems);
  }, [problems]);
  const reached = useRef<FilePlace>(undefined);
  useEffect(() => {
    if (view.current === null || target === undefined || reached.current === target) return;
    reached.current = target;
    goTo(view.current, target);
  }, [target]);
  return <div ref={place} />;
}
