import { describe, expect, it } from 'vitest';
import { type Access, type Actor, NOBODY } from '../../kernel/index.ts';
import { authorize, grantableRights, ROLE_TOO_LOW, rightsOf } from './index.ts';

const actorOf = (role: string): Actor => ({ id: 'u', label: null, role: role as 'admin', mode: 'test', claims: {} });

/** The refusal, or `undefined` when it is permitted. */
function refusal(right: string, actor: Actor): unknown {
  try {
    return authorize({ right: right as Access['right'], operation: 'GET /x' }, actor);
  } catch (error) {
    const { code, reason, message, hint } = error as Record<string, unknown>;
    return { code, reason, message, hint };
  }
}

/** The refusal of a known role that is too low. */
const needs = (least: string, role: string) => ({
  code: 'auth_error',
  reason: ROLE_TOO_LOW,
  message: `GET /x needs the role ${least}; yours is ${role}.`,
  hint: 'Ask an administrator for it.',
});

const NOT_PERMITTED = {
  code: 'auth_error',
  reason: ROLE_TOO_LOW,
  message: 'GET /x is not permitted.',
  hint: 'Ask an administrator for the role viewer, analyst or admin.',
};

describe('rights', () => {
  it.each([
    ['self', 'viewer', undefined],
    ['query', 'viewer', undefined],
    ['approve', 'viewer', needs('analyst', 'viewer')],
    ['admin', 'viewer', needs('admin', 'viewer')],
    ['self', 'analyst', undefined],
    ['query', 'analyst', undefined],
    ['approve', 'analyst', undefined],
    ['admin', 'analyst', needs('admin', 'analyst')],
    ['self', 'admin', undefined],
    ['query', 'admin', undefined],
    ['approve', 'admin', undefined],
    ['admin', 'admin', undefined],
  ])('%s, asked by the role %s', (right, role, expected) => {
    expect(refusal(right, actorOf(role))).toEqual(expected);
  });

  it.each(['self', 'query', 'approve', 'admin'])('%s is refused to unknown roles', (right) => {
    for (const role of ['owner', 'Admin', '', 'toString']) expect(refusal(right, actorOf(role))).toEqual(NOT_PERMITTED);
  });

  it.each(grantableRights.filter((right) => right.startsWith('admin:')))('%s is for administrators', (right) => {
    expect(refusal(right, actorOf('admin'))).toBeUndefined();
    for (const role of ['viewer', 'analyst']) expect(refusal(right, actorOf(role))).toEqual(needs('admin', role));
    expect(refusal(right, actorOf('owner'))).toEqual(NOT_PERMITTED);
  });

  it('of a custom role are those that it lists, and one’s own account', () => {
    const actor: Actor = { ...actorOf('analyst'), rights: ['query', 'admin:users'] };
    expect(rightsOf(actor)).toEqual(['query', 'admin:users']);
    for (const right of ['self', 'query', 'admin:users']) expect(refusal(right, actor)).toBeUndefined();
    for (const right of ['approve', 'admin', 'admin:audit', 'admin:own-area']) {
      const message = `GET /x needs the right ${right}, which your role lacks.`;
      expect(refusal(right, actor)).toMatchObject({ code: 'auth_error', reason: ROLE_TOO_LOW, message });
    }
    // Neither the role beside them nor a right that does not exist counts for anything.
    expect(refusal('admin', { ...actor, role: 'admin' })).toBeDefined();
    expect(refusal('root', { ...actor, rights: ['root' as 'query'] })).toEqual(NOT_PERMITTED);
    expect(rightsOf(actorOf('analyst'))).toEqual(['query', 'approve']);
    expect(rightsOf(actorOf('admin'))).toEqual(grantableRights);
  });

  it.each(['', 'root', 'Query', 'toString', '__proto__', 'admin:', 'admin:Users', 'admin:*'])(
    'that are unknown are refused: %j',
    (right) => {
      expect(refusal(right, actorOf('admin'))).toEqual(NOT_PERMITTED);
    },
  );

  it('that are public need nothing, all others authentication', () => {
    for (const actor of [NOBODY, actorOf('viewer'), actorOf('owner')]) expect(refusal('public', actor)).toBeUndefined();
    for (const right of ['self', 'query', 'approve', 'admin', 'root']) {
      expect(refusal(right, NOBODY)).toEqual({
        code: 'auth_error',
        reason: undefined,
        message: 'Authentication is required.',
        hint: 'Send your credentials.',
      });
    }
  });
});
