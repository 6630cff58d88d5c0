import { describe, expect, it } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { identityOf } from './identity.ts';

/** The identity that the claims give, and what was logged. */
function identity(claims: Readonly<Record<string, unknown>>, options: { roleClaim?: string; orgClaim?: string } = {}) {
  const lines: unknown[] = [];
  const log = { debug: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  const { roleClaim, orgClaim = 'org_id' } = options;
  const made = identityOf({ sub: 'ann', ...claims }, { orgClaim, ...(roleClaim && { roleClaim }) }, log);
  return { ...made, lines };
}

it('has the subject, the claims and the mode', () => {
  const { actor, orgId } = identity({ tenant: 7, role: 'analyst', org_id: 'acme', email: 'ann@example.com' });
  expect({ actor, orgId }).toEqual({
    actor: {
      id: 'ann',
      label: 'ann@example.com',
      role: 'analyst',
      mode: 'byot',
      claims: { sub: 'ann', tenant: 7, role: 'analyst', org_id: 'acme', email: 'ann@example.com' },
    },
    orgId: 'acme',
  });
  expect(Object.isFrozen(actor.claims)).toBe(true);
});

describe('the label', () => {
  it.each([
    [{ email: 'a@example.com', name: 'Ann' }, 'a@example.com'],
    [{ name: 'Ann' }, 'Ann'],
    [{ email: '', name: 'Ann' }, 'Ann'],
    [{ email: '  ', name: 'Ann' }, 'Ann'],
    [{ email: 7, name: 'Ann' }, 'Ann'],
    [{ email: 'a\0b', name: 'Ann' }, 'Ann'],
    [{ email: { length: 1 }, name: ['Ann'] }, null],
    [{}, null],
  ])('of %j is %j', (claims, label) => {
    expect(identity(claims).actor.label).toBe(label);
  });
});

describe('the role', () => {
  const NO_ROLE = 'A token names no role of Atlas; its bearer is a viewer.';

  it.each([
    [{ role: ['viewer', 'admin', 'analyst'] }, undefined, 'admin'],
    [{ role: ['admin', 'viewer'] }, undefined, 'admin'],
    [{ role: ['analyst', 'viewer', 'staff'] }, undefined, 'analyst'],
    [{ role: 'staff', atlas_role: 'analyst' }, undefined, 'analyst'],
    [{ role: 'viewer', atlas_role: 'admin' }, undefined, 'viewer'],
    [{ groups: ['admin'], role: 'viewer' }, 'groups', 'admin'],
    [{ app: { role: 'analyst' } }, 'app.role', 'analyst'],
    [{}, undefined, 'viewer'],
    [{}, 'groups', 'viewer'],
  ])('of %j with the claim %s is %s', (claims, roleClaim, role) => {
    const { actor, lines } = identity(claims, roleClaim === undefined ? {} : { roleClaim });
    expect(actor.role).toBe(role);
    expect(lines).toEqual([]);
  });

  it.each([
    [{ role: 'owner' }, undefined, 'role, atlas_role'],
    [{ atlas_role: 2 }, undefined, 'role, atlas_role'],
    [{ role: null }, undefined, 'role, atlas_role'],
    [{ role: 'admin', groups: [] }, 'groups', 'groups'],
  ])('of %j with the claim %s is viewer, and the log names the claim', (claims, roleClaim, claim) => {
    const { actor, lines } = identity(claims, roleClaim === undefined ? {} : { roleClaim });
    expect(actor.role).toBe('viewer');
    expect(lines).toEqual([[{ claim }, NO_ROLE]]);
  });
});

describe('the organization', () => {
  it.each([
    ['acme', 'acme'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [0, '0'],
    [7, '7'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [undefined, null],
    [null, null],
  ])('of %j is %j', (org, orgId) => {
    expect(identity({ org }, { orgClaim: 'org' }).orgId).toBe(orgId);
  });

  it.each([
    ...['', ' ', ' acme', 'acme ', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(256)],
    ...[-1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1],
    ...[true, {}, [], ['acme']],
  ])('is refused when it is %j', (org) => {
    expect(() => identity({ org }, { orgClaim: 'org' })).toThrow(
      expect.objectContaining({
        code: 'auth_error',
        message: 'The claim "org" of the token is not valid: it must name one organization.',
        hint: 'Ask the operator of the identity provider for a token with a text or a whole number there, or without the claim.',
      }),
    );
  });
});
