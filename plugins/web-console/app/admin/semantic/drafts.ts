/**
 * Keeps what was typed and not saved yet, for one person and this tab alone: while its page is left, and while the person signs
 * in again, be it on the page of another host.
 */
import { useEffect } from 'react';
import type { Me } from '../../api/queries.ts';
import type { StoredFile } from './stored-file.ts';

export interface Draft {
  readonly text: string;
  /** What it was begun from. */
  readonly base: StoredFile;
}

/** By the path of the file. */
export type Drafts = Map<string, Draft>;

const KEY = 'atlas.drafts';

let user: string | undefined;
let byOrganization = new Map<string, Drafts>();

/** Into the storage of the tab, which outlives the page. */
function store(): void {
  const kept = [...byOrganization].filter(([, drafts]) => drafts.size > 0);
  try {
    if (kept.length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify([user, kept.map(([id, drafts]) => [id, [...drafts]])]));
  } catch {
    // The browser keeps nothing, or not that much: they are kept while the page is.
  }
}

/** What the page before this one has stored for the user. */
function restored(): Map<string, Drafts> {
  try {
    const [whose, kept] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    if (whose === user) return new Map(kept.map(([id, drafts]: [string, [string, Draft][]]) => [id, new Map(drafts)]));
    sessionStorage.removeItem(KEY);
  } catch {
    // There is no such storage.
  }
  return new Map();
}

/** Those of this person in this organization; those of another user are dropped. */
export function draftsOf({ mode, user: person, orgId }: Pick<Me, 'mode' | 'user' | 'orgId'>): Drafts {
  const next = JSON.stringify([mode, person?.id]);
  if (next !== user) {
    user = next;
    byOrganization = restored();
    addEventListener('pagehide', store);
  }
  const id = JSON.stringify(orgId);
  const drafts = byOrganization.get(id) ?? new Map();
  byOrganization.set(id, drafts);
  return drafts;
}

/** Whether there are any, of any organization. */
export function hasDrafts(me: Pick<Me, 'mode' | 'user' | 'orgId'>): boolean {
  draftsOf(me);
  return [...byOrganization.values()].some(({ size }) => size > 0);
}

/** Drops the drafts of all organizations: the person signs out. */
export function dropDrafts(): void {
  for (const drafts of byOrganization.values()) drafts.clear();
  store();
}

/** Keeps the draft where it differs from its base; the browser asks before the window is closed. */
export function useKeptDraft(drafts: Drafts, file: string, { text, base }: Draft): void {
  const isChanged = text !== base.text;
  useEffect(() => {
    if (isChanged) drafts.set(file, { text, base });
    else drafts.delete(file);
  }, [drafts, file, text, base, isChanged]);
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => {
      // Who has ended the session has left already.
      if (!document.body.hidden) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
