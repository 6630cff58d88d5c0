/** The action kit passes on a type that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { type ActionFault, fakeAction } from '../fixtures/bad-plugins/action-fake.ts';
import { actionChecks, actionContract } from './action.ts';
import { failingChecks } from './kit.ts';

actionContract('a type that keeps every rule', () => fakeAction());

const ONCE = 'is performed once, with the key that names it, and says so without secrets';
const AGAIN = 'tells the receiver when it is performed again after a crash';
const FAILS = 'fails with a sentence without secrets';

describe('the action kit fails on a type that', () => {
  const faults: readonly [ActionFault, string][] = [
    ['acts when it is described', 'declares its type, and describes a payload without acting'],
    ['takes anything', 'refuses payloads that are not valid'],
    ['runs what was not approved', 'does nothing without an approval'],
    ['sends twice', ONCE],
    ['makes a key of its own', ONCE],
    ['sends no key the second time', AGAIN],
    ['says that all went well', FAILS],
    ['throws a code', FAILS],
    ['tells its token', FAILS],
    ['ignores its signal', 'ends with the signal of its scope'],
  ];
  it.each(faults)('%s', async (fault, expected) => {
    const checks = actionChecks(() => fakeAction(fault)).filter(({ name }) => name === expected);
    expect(await failingChecks(checks)).toEqual([expected]);
  });
});
