/** Keeps what was typed and not saved yet, while its page is left. */
import { useEffect } from 'react';
import type { StoredFile } from './stored-file.ts';

export interface Draft {
  readonly text: string;
  /** What it was begun from. */
  readonly base: StoredFile;
}

/** By the path of the file. */
const drafts = new Map<string, Draft>();

export const draftOf = (file: string): Draft | undefined => drafts.get(file);

export const dropDraft = (file: string): boolean => drafts.delete(file);

/** Keeps the draft where it differs from its base; the browser asks before the window is closed. */
export function useKeptDraft(file: string, { text, base }: Draft): void {
  const isChanged = text !== base.text;
  useEffect(() => {
    if (isChanged) drafts.set(file, { text, base });
    else dropDraft(file);
  }, [file, text, base, isChanged]);
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
