import { expect, it } from 'vitest';
import type { Policy, RowSecurityOptions } from './options.ts';
import { policiesOf } from './policies.ts';

const options = (more: Partial<RowSecurityOptions>): RowSecurityOptions => ({
  exempt: [],
  policies: [],
  unmaskRoles: [],
  describeEveryMs: 0,
  recheckMs: 0,
  ...more,
});

const problemsOf = (more: Partial<RowSecurityOptions>) => {
  try {
    policiesOf(options(more));
  } catch (error) {
    return error;
  }
  return undefined;
};

it('come from the options, the general one first', () => {
  const policy: Policy = { tables: ['orders'], condition: 'region = {claim}', claim: 'region' };
  expect(policiesOf(options({ column: 'tenant', claim: 'org', policies: [policy] }))).toEqual([
    { column: 'tenant', claim: 'org' },
    policy,
  ]);
  expect(policiesOf(options({ policies: [policy] }))).toEqual([policy]);
  expect(policiesOf(options({ policies: [{ tables: ['t'], condition: 'a = 1' }] }))).toHaveLength(1);
  expect(policiesOf(options({ policies: [{ tables: ['t'], column: 'a', claim: 'b' }] }))).toHaveLength(1);
  expect(policiesOf(options({ unmaskRoles: ['admin'] }))).toEqual([]);
});

it.each<[Partial<RowSecurityOptions>, string]>([
  [{}, 'give "column" and "claim", or "policies"'],
  [{ column: 'a' }, 'the options: "claim" is missing'],
  [{ claim: 'a' }, 'the options: "column" is missing'],
  [{ policies: [{}] }, 'policies.0: "column" is missing'],
  [{ policies: [{ column: 'a' }] }, 'policies.0: "claim" is missing'],
  [{ policies: [{ column: 'a', claim: 'b', tables: [] }] }, 'policies.0: "tables" is empty'],
  [{ policies: [{ column: 'a', condition: 'b' }] }, 'policies.0: "column" and "condition" exclude each other'],
  [{ policies: [{ condition: 'a = 1' }] }, 'policies.0: "condition" needs "tables", whose columns it is about'],
  [{ policies: [{ condition: 'a = 1', tables: [] }] }, 'policies.0: "tables" is empty'],
  [
    { policies: [{ condition: 'a = {claim}', tables: ['t'] }] },
    'policies.0: "condition" has {claim}, but "claim" is missing',
  ],
  [
    { policies: [{ condition: 'a = 1', claim: 'b', tables: ['t'] }] },
    'policies.0: "claim" is given, but "condition" has no {claim}',
  ],
  [
    { column: 'a', claim: 'b', policies: [{ column: 'c', claim: 'd' }, { column: 'e' }, { claim: 'f' }] },
    'policies.1: "claim" is missing; policies.2: "column" is missing',
  ],
])('refuses %j', (more, problem) => {
  expect(problemsOf(more)).toMatchObject({
    code: 'configuration_error',
    reason: 'E_ROW_SECURITY_POLICY',
    message: `Row security would not protect what it should: ${problem}.`,
  });
});
