import { expect, it } from 'vitest';
import { ownPath } from './own-path.ts';

it.each([
  ['/', '', '/'],
  ['/c/1', '?view=chart&sort=a', '/c/1?view=chart&sort=a'],
  ['/history', '?error=access_denied&error_description=x', '/history'],
  ['//evil.example', '', '/'],
  ['/\\evil.example', '?a=1', '/'],
  ['evil', '', '/'],
])('comes back from %s%s to %s', (pathname, search, path) => {
  expect(ownPath({ pathname, search })).toBe(path);
});
