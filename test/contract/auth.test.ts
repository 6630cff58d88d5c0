/** The auth kit passes on a plugin that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { AtlasError, authResolve, type Credentials, definePlugin, type Identity } from '../../kernel/index.ts';
import { authChecks, authContract } from './auth.ts';
import { failingChecks } from './kit.ts';

const identity: Identity = {
  actor: { id: 'u-1', label: null, role: 'viewer', mode: 'test', claims: {} },
  orgId: null,
};
const refuse = (message = 'The ticket is not valid.') => {
  throw new AtlasError(message, { code: 'auth_error', hint: 'Get another.' });
};

type Resolve = (value: string | undefined, log: (text: string) => void, given: Credentials) => Identity | undefined;

/** Knows tickets: `Ticket good-ticket` is one. */
const good: Resolve = (value) => {
  if (value?.startsWith('Ticket ') !== true) return undefined;
  return value === 'Ticket good-ticket' ? identity : refuse();
};

const plugin = (resolve: Resolve) =>
  definePlugin({
    name: 'auth-test',
    version: '1.0.0',
    type: 'auth',
    description: 'Knows tickets.',
    setup(ctx) {
      ctx.tap(authResolve, (given) => {
        const value = given.headers.authorization;
        return resolve(
          typeof value === 'string' ? value : undefined,
          (text) => ctx.log.debug({ text }, 'Asked.'),
          given,
        );
      });
    },
  })();

const options = {
  accepted: [{ authorization: 'Ticket good-ticket' }],
  rejected: [async () => ({ authorization: 'Ticket wrong-ticket' })],
  foreign: [{ authorization: 'Bearer other' }],
};

authContract('fake', () => plugin(good), options);

const RECOGNISES = 'recognises its own, the same each time';
const FOREIGN = 'has no say on what is not its own';
const REFUSES = 'refuses its own that are not good, with a sentence';
const SURVIVES = 'admits no one, and survives, whatever the headers hold';
const TELLS = 'tells no credential, in no error, log line or identity';

describe('the auth kit fails on a plugin that', () => {
  let calls = 0;
  const bad: [string, string[], Resolve][] = [
    ['admits everyone', [FOREIGN, REFUSES, SURVIVES], () => identity],
    ['recognizes no one', [RECOGNISES, REFUSES], () => undefined],
    ['refuses what is not its own', [FOREIGN], (...given) => good(...given) ?? refuse()],
    ['leaves a bad one to others', [REFUSES], (value) => (value === 'Ticket good-ticket' ? identity : undefined)],
    ['lets an empty header in', [SURVIVES], (...given) => (given[0] === '' ? identity : good(...given))],
    [
      'crashes on several headers',
      [SURVIVES],
      (...given) => {
        const value = given[2].headers.authorization as string | undefined;
        return value?.startsWith('x') ? undefined : good(...given);
      },
    ],
    [
      'shows the credential in its refusal',
      [TELLS],
      (value, ...rest) =>
        value === 'Ticket wrong-ticket' ? refuse(`There is no ${value} here.`) : good(value, ...rest),
    ],
    [
      'logs the credential',
      [TELLS],
      (value, log, given) => {
        log(value ?? '');
        return good(value, log, given);
      },
    ],
    [
      'makes the credential the id',
      [TELLS],
      (...given) => good(...given) && { ...identity, actor: { ...identity.actor, id: 'good-ticket' } },
    ],
    [
      'gives another id each time',
      [RECOGNISES],
      (...given) => {
        calls += 1;
        return good(...given) && { ...identity, actor: { ...identity.actor, id: `u-${calls}` } };
      },
    ],
    [
      'gives a role that is none',
      [RECOGNISES],
      (...given) => good(...given) && { ...identity, actor: { ...identity.actor, role: 'root' as 'admin' } },
    ],
    [
      'throws anything',
      [REFUSES],
      (value, ...rest) => {
        if (value === 'Ticket wrong-ticket') throw new Error('no such ticket');
        return good(value, ...rest);
      },
    ],
  ];
  it.each(bad)('%s', async (_, expected, resolve) => {
    expect(await failingChecks(authChecks(() => plugin(resolve), options))).toEqual(expected);
  });
});
