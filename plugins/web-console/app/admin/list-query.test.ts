import { expect, it } from 'vitest';
import { lastOffset, offsetOf, queryOf } from './list-query.ts';
import type { Resource } from './resource.ts';

const LIST: Resource<never> = {
  title: 'Things',
  path: '/things',
  key: 'things',
  hasPages: true,
  query: { scope: 'organization' },
  filters: [{ name: 'text', label: 'Text' }],
  columns: [],
  nameOf: () => '',
  idOf: () => '',
  empty: 'None.',
};

const queried = (text: string) => Object.fromEntries(queryOf(LIST, new URLSearchParams(text)));

it('has the filters that the list knows, and the page', () => {
  expect(queried('text=+0+&other=x&offset=50')).toEqual({
    scope: 'organization',
    text: '0',
    limit: '25',
    offset: '50',
  });
  expect(queried('text=')).toEqual({ scope: 'organization', limit: '25', offset: '0' });
});

it.each([
  ['25', 25],
  ['-1', 0],
  ['1e999', 0],
  ['x', 0],
  ['', 0],
  ['7.9', 7],
])('offset %s is %i', (text, offset) => {
  expect(offsetOf(new URLSearchParams({ offset: text }))).toBe(offset);
});

it.each([
  [0, 0],
  [1, 0],
  [25, 0],
  [26, 25],
  [51, 50],
])('the last page of %i rows begins at %i', (total, offset) => {
  expect(lastOffset(total)).toBe(offset);
});
