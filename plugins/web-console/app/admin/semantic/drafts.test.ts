import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storedFile } from './stored-file.ts';

const ANN = { mode: 'managed', user: { id: 'ann', email: null, name: null }, orgId: 'acme' };
const DRAFT = { text: 'mine', base: storedFile('table: a\r\n', '1') };

let stored: Map<string, string>;

/** The module of a page that has just been loaded, and what it does when the page is left. */
async function newPage() {
  const onHide: (() => void)[] = [];
  vi.stubGlobal('addEventListener', (_: string, listener: () => void) => onHide.push(listener));
  vi.resetModules();
  const page = await import('./drafts.ts');
  return Object.assign({ leave: () => onHide[0]?.() }, page);
}

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('hands drafts on to the next page of the tab, for the same person in the same organization', async () => {
  const first = await newPage();
  first.draftsOf(ANN).set('a.yml', DRAFT);
  first.leave();
  const second = await newPage();
  expect(second.draftsOf({ ...ANN, orgId: 'other' }).size).toBe(0);
  expect(second.draftsOf(ANN).get('a.yml')).toEqual(DRAFT);
  second.draftsOf(ANN).delete('a.yml');
  second.leave();
  expect(stored.size).toBe(0);
});

it('drops those of another user', async () => {
  const first = await newPage();
  first.draftsOf(ANN).set('a.yml', DRAFT);
  first.leave();
  const second = await newPage();
  expect(second.draftsOf({ ...ANN, user: { ...ANN.user, id: 'bob' } }).size).toBe(0);
  expect(stored.size).toBe(0);
});

it('drops all when the person signs out', async () => {
  const page = await newPage();
  page.draftsOf(ANN).set('a.yml', DRAFT);
  page.leave();
  expect(stored.size).toBe(1);
  page.dropDrafts();
  page.leave();
  expect(stored.size).toBe(0);
});
