import { expect, it } from 'vitest';
import { BUILT_IN_ROLES, roleField } from './role-field.ts';

it('offers the roles of the organization by their ids, which users have', () => {
  const { options, value } = roleField(true, 'support-team');
  const role = { description: null, rights: ['query'], builtIn: false, members: 0, createdAt: null, updatedAt: null };
  const answer = { roles: [{ ...role, id: 'support-team', name: 'Support Team' }] };
  expect(options && 'path' in options && options.options(answer)).toEqual([{ value, label: 'Support Team' }]);
});

it('offers the built-in ones where the reader may not see others', () => {
  expect(roleField(false, 'viewer').options).toBe(BUILT_IN_ROLES);
});
