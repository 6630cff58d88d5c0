/** Keeps the key or token that a person typed, for this tab alone: neither in an address nor beyond the session. */
import { useSyncExternalStore } from 'react';

const KEY = 'atlas.credential';
const listeners = new Set<() => void>();
/** Whether the server wants credentials that it has not got. */
let isRefused = false;

/** `undefined` where the browser keeps nothing, as in some private windows. */
function stored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

let credential = stored();

function changed(): void {
  for (const listener of listeners) listener();
}

/** Whether it is accepted shows with the next request. */
export function setCredential(next: string | undefined): void {
  credential = next;
  try {
    if (next === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // Kept in memory only.
  }
}

/** The server took the credentials. */
export function acceptCredential(): void {
  isRefused = false;
  changed();
}

/** The server answered 401. */
export function refuseCredential(): void {
  if (isRefused) return;
  isRefused = true;
  changed();
}

export function authorization(): Readonly<Record<string, string>> {
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` };
}

export const hasCredential = (): boolean => credential !== undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the person has to sign in. */
export function useIsRefused(): boolean {
  return useSyncExternalStore(subscribe, () => isRefused);
}
