/** What every plugin that says who asks must keep: `authContract('auth-x', () => authX({ … }), { accepted, rejected })`. */
import assert from 'node:assert/strict';
import { AtlasError, authResolve, type Credentials, type Identity, type PluginEntry } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { type Check, registerChecks } from './kit.ts';

type Headers = Credentials['headers'];
/** Headers, or what makes them when the test runs, such as a token that is signed just then. */
type Given = Headers | (() => Headers | Promise<Headers>);

export interface AuthContractOptions {
  /** Credentials that it must take for an identity. */
  readonly accepted: readonly Given[];
  /** Credentials that it recognises and must refuse. */
  readonly rejected: readonly Given[];
  /** Credentials of other plugins, on which it must not have a say. Some that belong to no plugin are tried in any case. */
  readonly foreign?: readonly Given[];
  /** Headers in which it looks for credentials. Default `authorization`, `x-api-key` and `cookie`. */
  readonly headerNames?: readonly string[];
  /** The plugins it needs. */
  readonly with?: () => readonly PluginEntry[];
}

const FOREIGN: readonly Headers[] = [{}, { authorization: 'Basic dTpw' }, { authorization: 'Digest x="y"' }];
const VALUES = ['', ' ', 'Bearer', 'Bearer ', 'bearer  ', 'Bearer a b', 'Bearer ..', 'Bearer \u0000', '\u{1f511}', '='];

/** What a hostile client may put into such a header, several of it and far too long of it included. */
function hostileHeaders(names: readonly string[]): Headers[] {
  const long = 'x'.repeat(20_000);
  const values = [...VALUES, long, `Bearer ${long}`, `Bearer ${'a.'.repeat(9_000)}`, ['Bearer a', 'Bearer b'], []];
  return names.flatMap((name) => values.map((value) => ({ [name]: value })));
}

/** The parts of the headers that only their sender may see. */
function secretsOf(headers: Headers): string[] {
  const values = Object.values(headers).flatMap((value) => (value === undefined ? [] : value));
  return values.flatMap((value) => value.split(/[\s;]+/)).filter((part) => part.length >= 8);
}

function credentials(headers: Headers): Credentials {
  const frozen = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? Object.freeze([...value]) : value]),
  );
  return Object.freeze({ method: 'GET', route: '/', headers: Object.freeze(frozen), ip: '127.0.0.1' });
}

/** The identity, nothing, or what it threw. */
async function ask(app: TestApp, headers: Headers): Promise<{ identity?: Identity | undefined; error?: unknown }> {
  try {
    return { identity: await app.call(authResolve, credentials(headers), app.scope()) };
  } catch (error) {
    return { error };
  }
}

/** All that a thrown error says to its reader. */
function saidBy(error: unknown): string {
  const { message, hint, details, stack, cause } = error as AtlasError;
  const below = cause === undefined ? '' : saidBy(cause);
  return `${message}\n${hint}\n${JSON.stringify(details)}\n${stack}\n${below}`;
}

function assertRefusal(error: unknown): void {
  assert.ok(error instanceof AtlasError, `threw ${String(error)}`);
  assert.equal(error.code, 'auth_error', `refused with ${error.code}: ${error.message}`);
  assert.match(error.message, /^[A-Z].*\S{2,} \S.*\.$/s);
}

export function authChecks(make: () => PluginEntry, options: AuthContractOptions): Check[] {
  const { accepted, rejected } = options;
  const foreign = [...FOREIGN, ...(options.foreign ?? [])];
  const hostile = hostileHeaders(options.headerNames ?? ['authorization', 'x-api-key', 'cookie']);
  const check = (
    name: string,
    given: readonly Given[],
    verify: (answer: Awaited<ReturnType<typeof ask>>, headers: Headers, app: TestApp) => void | Promise<void>,
  ): Check => ({
    name,
    run: async () => {
      await using app = await createTestApp({ plugins: [...(options.with?.() ?? []), make()], openGates: false });
      for (const one of given) {
        const headers = typeof one === 'function' ? await one() : one;
        await verify(await ask(app, headers), headers, app);
      }
    },
  });
  return [
    check('recognises its own, the same each time', accepted, async ({ identity, error }, headers, app) => {
      assert.equal(error, undefined, `refused: ${String(error)}`);
      assert.ok(identity !== undefined, 'does not recognize its own credential');
      const { id, role, mode, claims } = identity.actor;
      assert.ok(id === null || (typeof id === 'string' && id !== ''), 'the id is neither null nor a text');
      assert.ok(['viewer', 'analyst', 'admin'].includes(role), `"${role}" is no role`);
      assert.ok(mode !== '' && mode !== 'unidentified', 'the actor has no mode');
      assert.ok(typeof claims === 'object' && claims !== null);
      assert.deepEqual((await ask(app, headers)).identity?.actor, identity.actor);
    }),
    check('has no say on what is not its own', foreign, ({ identity, error }) => {
      assert.equal(error, undefined, `refused: ${String(error)}`);
      assert.equal(identity, undefined, 'took a foreign credential for its own');
    }),
    check('refuses its own that are not good, with a sentence', rejected, ({ identity, error }) => {
      assert.equal(identity, undefined, 'admitted a caller');
      assert.ok(error !== undefined, 'did not refuse');
      assertRefusal(error);
    }),
    check('admits no one, and survives, whatever the headers hold', hostile, ({ identity, error }) => {
      assert.equal(identity, undefined, 'admitted a caller');
      if (error !== undefined) assertRefusal(error);
    }),
    check(
      'tells no credential, in no error, log line or identity',
      [...accepted, ...rejected],
      (answer, headers, app) => {
        const said = [JSON.stringify(app.lines), JSON.stringify(answer.identity?.actor ?? null)];
        if (answer.error !== undefined) said.push(saidBy(answer.error));
        for (const secret of secretsOf(headers)) assert.ok(!said.join('\n').includes(secret), 'told a credential');
      },
    ),
  ];
}

export function authContract(name: string, make: () => PluginEntry, options: AuthContractOptions): void {
  registerChecks(`auth contract: ${name}`, authChecks(make, options));
}
