import { expect, it } from 'vitest';
import { isFilePath } from './file-path.ts';

it.each(['catalog.yml', 'entities/orders.yml', 'shop/metrics/a b.yml'])('%s may be a file', (path) => {
  expect(isFilePath(path)).toBe(true);
});

it.each(['', '..', '../../me', 'entities/..', 'entities/./a.yml', '/entities/a.yml', 'entities//a.yml', '.orgs/a.yml'])(
  '%j is none',
  (path) => {
    expect(isFilePath(path)).toBe(false);
  },
);
