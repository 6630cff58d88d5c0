import { expect, it } from 'vitest';
import type { Me } from '../api/queries.ts';
import { areasOf } from './areas.ts';

const meWith = (areas: string[], rights: string[]): Me => ({
  user: null,
  role: 'viewer',
  rights,
  orgId: null,
  organizations: [],
  mode: 'managed',
  areas,
  model: { provider: 'offline', modelId: 'offline', isOffline: true },
  version: '1.0.0',
});

it('lists the areas that the server offers, in the order of the navigation', () => {
  const me = meWith(['audit', 'chat', 'users', 'unknown', 'usage'], ['self', 'admin:audit', 'admin:users']);
  expect(areasOf(me)).toEqual(['users', 'audit', 'usage']);
});

it('has nothing for those who administer nothing, whose usage is their own', () => {
  expect(areasOf(meWith(['chat', 'history', 'usage'], ['self', 'query']))).toEqual([]);
});
