import { describe, expect, it } from 'vitest';
import { isRole, type Role, roleAtLeast, roles } from './index.ts';

describe('roles', () => {
  it('have an order', () => {
    expect(roles).toEqual({ viewer: 0, analyst: 1, admin: 2 });
    const names = Object.keys(roles) as Role[];
    for (const role of names) {
      for (const least of names) expect(roleAtLeast(role, least)).toBe(roles[role] >= roles[least]);
    }
    expect([roleAtLeast('root' as Role, 'viewer'), roleAtLeast('admin', 'root' as Role)]).toEqual([false, false]);
  });

  it.each(['viewer', 'analyst', 'admin'])('%s is one', (role) => expect(isRole(role)).toBe(true));
  it.each(['Viewer', '', 'valueOf', null, undefined, 2, ['admin'], {}])('%j is none', (value) => {
    expect(isRole(value)).toBe(false);
  });
});
