/** Edits a file of the layer: with suggestions, problems in their places, and a look at the changes before they are saved. */
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, useMemo, useRef, useState } from 'react';
import { Alert } from '../../ui/alert.tsx';
import { LazyPart } from '../../ui/lazy-part.tsx';
import { ShownText } from '../../ui/shown-text.tsx';
import adminStyles from '../admin.module.css';
import { type Drafts, useKeptDraft } from './drafts.ts';
import type { FilePlace } from './editor/problem-range.ts';
import { fileAnswer, isConflict, isSignedOut, newestFile, saveFile } from './layer-queries.ts';
import { Objections } from './objections.tsx';
import { type Objection, objectionsOf } from './refusal.ts';
import { ReviewDialog } from './review-dialog.tsx';
import styles from './semantic.module.css';
import type { StoredFile } from './stored-file.ts';
import { SEMANTIC as T } from './texts.ts';
import { useSuggest } from './use-suggest.ts';

const YamlEditor = lazy(() => import('./editor/yaml-editor.tsx'));

export interface FileEditorProps {
  readonly file: string;
  readonly drafts: Drafts;
  readonly stored: StoredFile;
  /** What is wrong with the file as it is stored. */
  readonly problems: readonly Objection[];
  readonly isReadOnly: boolean;
}

/** The text and what it was begun from, of the draft or of the stored file. */
function useFileText({ file, drafts, stored }: Pick<FileEditorProps, 'file' | 'drafts' | 'stored'>) {
  const [draft, setDraft] = useState(() => drafts.get(file) ?? { text: stored.text, base: stored });
  const [seen, setSeen] = useState(stored.version);
  const [replacement, setReplacement] = useState<{ readonly text: string }>();
  const { text, base } = draft;
  useKeptDraft(drafts, file, draft);
  const isChanged = text !== base.text;
  const replaceBy = (next: StoredFile) => {
    setDraft({ text: next.text, base: next });
    setReplacement({ text: next.text });
  };
  if (stored.version !== seen) {
    setSeen(stored.version);
    // Nobody has begun to change what somebody else has saved meanwhile.
    if (!isChanged && stored.version !== base.version) replaceBy(stored);
  }
  return {
    text,
    base,
    isChanged,
    replacement,
    discard: () => replaceBy(stored),
    setText: (next: string) => setDraft((before) => ({ ...before, text: next })),
    setBase: (next: StoredFile) => setDraft((before) => ({ ...before, base: next })),
  };
}

export function FileEditor(props: FileEditorProps): ReactNode {
  const { file, problems, isReadOnly } = props;
  const client = useQueryClient();
  const { text, base, isChanged, replacement, discard, setText, setBase } = useFileText(props);
  const [isReviewing, setIsReviewing] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [told, setTold] = useState('');
  const [target, setTarget] = useState<FilePlace>();
  const suggest = useSuggest(file);
  const saveButton = useRef<HTMLButtonElement>(null);
  const refused = useMemo(() => objectionsOf(failure), [failure]);
  const objections = refused.length > 0 ? refused : problems;
  const marked = useMemo(() => objections.filter((objection) => objection.file === file), [objections, file]);

  async function save(): Promise<void> {
    setFailure(undefined);
    try {
      const saved = await saveFile(file, text, base);
      client.setQueryData(fileAnswer(file).queryKey, saved);
      setBase(saved);
      setTold(T.saved(file));
      void client.invalidateQueries();
    } catch (error) {
      // Who has to sign in again is told so, and finds the draft as it was.
      if (!isSignedOut(error)) setFailure(error);
      // Before the cursor can go anywhere, the dialog has to be gone.
      setIsReviewing(false);
      setTarget(objectionsOf(error).find((objection) => objection.file === file));
    }
  }

  /** With what somebody else has saved meanwhile. */
  async function compare(): Promise<void> {
    // The button that was pressed goes.
    saveButton.current?.focus();
    setFailure(undefined);
    try {
      setBase(await newestFile(client, file));
      setIsReviewing(true);
    } catch (error) {
      setFailure(error);
    }
  }

  const discardAll = () => {
    saveButton.current?.focus();
    setFailure(undefined);
    discard();
  };
  const review = () => {
    setTold(isChanged ? '' : T.unchanged);
    setIsReviewing(isChanged);
  };
  const isOvertaken = isConflict(failure);
  return (
    <>
      {isReadOnly && <p role="note">{T.readOnly}</p>}
      <Objections
        title={refused.length > 0 ? T.refused : T.problems}
        file={file}
        objections={objections}
        onGo={setTarget}
      />
      {isOvertaken && (
        <div role="alert" className={styles.objections}>
          <p>{T.conflict}</p>
          <button type="button" onClick={() => void compare()}>
            {T.compare}
          </button>
        </div>
      )}
      {failure !== undefined && refused.length === 0 && !isOvertaken && <Alert error={failure} />}
      <LazyPart>
        <YamlEditor
          text={text}
          label={T.editor(file)}
          hint={T.editorHint}
          isReadOnly={isReadOnly}
          replacement={replacement}
          problems={marked}
          target={target}
          onChange={setText}
          suggest={suggest}
        />
      </LazyPart>
      {!isReadOnly && (
        <div className={styles.buttons}>
          <button ref={saveButton} type="button" data-kind="primary" onClick={review}>
            {T.save}
          </button>
          {isChanged && (
            <>
              <button type="button" onClick={discardAll}>
                {T.discard}
              </button>
              <span>{T.draft}</span>
            </>
          )}
        </div>
      )}
      <p role="status" className={adminStyles.told}>
        <ShownText text={isChanged ? '' : told} />
      </p>
      {isReviewing && (
        <ReviewDialog
          title={T.saveTitle(file)}
          text={base.version === undefined ? T.saveText : `${T.saveText} ${T.keptText}`}
          file={file}
          base={base}
          after={text}
          action={T.save}
          run={save}
          onClose={() => setIsReviewing(false)}
        />
      )}
    </>
  );
}
