/**
 * What every type of action must keep: `actionContract('pager', () => subject)`. The subject brings the plugin, pointed at a
 * receiver of its own that can be told how to answer. The action is asked for, approved and performed by the real plugin
 * `actions` on a database of its own.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PluginEntry } from '../../kernel/index.ts';
import { type ActionType, type AskedAction, actions, actionTypes } from '../../plugins/actions/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { jobs } from '../../plugins/jobs/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import type { ReceiverMood } from './deliver.ts';
import { type Check, HANG_MS, registerChecks, within } from './kit.ts';

export interface ActionSubject extends AsyncDisposable {
  /** The type that the plugin brings. */
  readonly type: string;
  readonly plugin: PluginEntry;
  /** The plugins it needs. */
  readonly with?: readonly PluginEntry[];
  /** A payload that the receiver takes. */
  readonly payload: unknown;
  /** Payloads that must be refused when they are asked for. */
  readonly invalidPayloads: readonly unknown[];
  /** How the receiver answers from now on. At first it accepts. */
  answer(mood: ReceiverMood): void;
  /** All requests that reached the receiver, each as text with its headers: the idempotency key must stand in it. */
  tries(): readonly string[];
  /** Texts of options and payload that nothing may show. */
  readonly secrets?: readonly string[];
}

/** The handler's time in these tests. */
const TIMEOUT_MS = 1_500;
/** In which a handler that is told to stop must have let go of the receiver. */
const STOP_MS = 1_000;
const RESUME_MS = 20_000;

class Bench {
  readonly subject: ActionSubject;
  readonly app: TestApp;

  constructor(subject: ActionSubject, app: TestApp) {
    this.subject = subject;
    this.app = app;
  }

  async type(): Promise<ActionType> {
    const types = await this.app.call(actionTypes, undefined, this.app.scope());
    const found = types.find(({ value }) => value.type === this.subject.type)?.value;
    assert.ok(found !== undefined, `no plugin brings the type "${this.subject.type}"`);
    return found;
  }

  ask(payload: unknown = this.subject.payload): Promise<AskedAction> {
    const { type } = this.subject;
    return this.app.get(actions).request({ type, payload, surface: 'test' }, this.app.scope());
  }

  /** Performs it once more, as after a crash. */
  async again({ id }: AskedAction): Promise<void> {
    const status = () =>
      this.app.get(internalDb).run((db) => db('actions').where({ id }).first('status')) as Promise<{ status: string }>;
    await this.app.get(internalDb).run((db) => db('actions').where({ id }).update({ status: 'approved', lease: null }));
    await this.app.get(jobs).add('action', { id }, { key: id });
    const until = performance.now() + RESUME_MS;
    while ((await status()).status === 'approved') {
      assert.ok(performance.now() < until, 'it was not performed again');
      await sleep(50);
    }
  }

  assertSecretsKept(shown: unknown): void {
    const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
    for (const secret of this.subject.secrets ?? []) assert.ok(!text.includes(secret), `it shows "${secret}"`);
  }
}

export function actionChecks(make: () => Promise<ActionSubject>): Check[] {
  const check = (name: string, verify: (bench: Bench) => Promise<void>): Check => ({
    name,
    run: async () => {
      using folder = emptyFolder();
      await using subject = await make();
      await using app = await createTestApp({
        plugins: [
          internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
          jobs(),
          actions({ approval: { [subject.type]: 'auto' }, timeoutMs: TIMEOUT_MS }),
          ...(subject.with ?? []),
          subject.plugin,
        ],
      });
      await verify(new Bench(subject, app));
    },
  });
  return [
    check('declares its type, and describes a payload without acting', async (bench) => {
      const { subject } = bench;
      const type = await bench.type();
      assert.ok(type.description.trim().length >= 10, 'its description says too little to the model');
      assert.ok(['auto', 'manual', 'admin-only'].includes(type.approval), `"${type.approval}" is no approval mode`);
      assert.equal(typeof type.reversible, 'boolean');
      assert.equal(type.input.type, 'object', 'its input is no object');
      assert.equal(JSON.stringify(JSON.parse(JSON.stringify(type.input))), JSON.stringify(type.input));
      const described = type.describe(Object.freeze(structuredClone(subject.payload)));
      assert.ok(described.target.trim() !== '' && described.summary.trim() !== '', 'the description is empty');
      bench.assertSecretsKept(described);
      assert.deepEqual(subject.tries(), [], 'describing it reached the receiver');
    }),
    check('refuses payloads that are not valid', async (bench) => {
      for (const payload of [...bench.subject.invalidPayloads, null, [], 'text', 7]) {
        const error = await bench.ask(payload).then(
          () => assert.fail(`it took ${JSON.stringify(payload)}`),
          (thrown: { code?: string }) => thrown,
        );
        assert.equal(error.code, 'invalid_request', `refused with ${String(error)}`);
      }
      assert.deepEqual(bench.subject.tries(), []);
    }),
    check('does nothing without an approval', async ({ app, subject }) => {
      const { type, payload } = subject;
      const pending = await app
        .get(actions)
        .request({ type, payload, approval: 'manual', surface: 'test' }, app.scope());
      assert.equal(pending.status, 'pending');
      const request = { id: pending.id, type, target: pending.target, summary: pending.summary, payload };
      for (const options of [{}, { approved: true }]) await app.runAction(request, app.scope(), options);
      assert.deepEqual(subject.tries(), [], 'it reached the receiver');
    }),
    check('is performed once, with the key that names it, and says so without secrets', async (bench) => {
      const done = await bench.ask();
      assert.deepEqual([done.status, done.error], ['executed', undefined]);
      const [only, ...more] = bench.subject.tries();
      assert.equal(more.length, 0, 'it reached the receiver more than once');
      assert.ok(only?.includes(done.id), 'the request to the receiver does not carry the idempotency key');
      bench.assertSecretsKept(done);
      bench.assertSecretsKept(bench.app.lines);
    }),
    check('tells the receiver when it is performed again after a crash', async (bench) => {
      const done = await bench.ask();
      await bench.again(done);
      const keyed = bench.subject.tries().filter((request) => request.includes(done.id));
      assert.equal(keyed.length, 2, 'the second request does not carry the same key');
    }),
    check('fails with a sentence without secrets', async (bench) => {
      for (const mood of ['busy', 'refuse'] as const) {
        bench.subject.answer(mood);
        const { status, error = '' } = await bench.ask();
        assert.equal(status, 'failed', `it says "${status}" of what the receiver did not take`);
        assert.match(error, /^[A-Z"].*\S{2,} \S.*[.!?…]$/s, 'the error is not a sentence');
        bench.assertSecretsKept(error);
      }
      bench.assertSecretsKept(bench.app.lines);
    }),
    check('ends with the signal of its scope', async (bench) => {
      bench.subject.answer('hang');
      assert.equal((await within('what goes on after its time', HANG_MS, bench.ask())).status, 'failed');
      const before = bench.subject.tries().length;
      bench.subject.answer('accept');
      await sleep(STOP_MS);
      assert.equal(bench.subject.tries().length, before, 'it tried again after its time');
    }),
  ];
}

export function actionContract(name: string, make: () => Promise<ActionSubject>): void {
  registerChecks(`action contract: ${name}`, actionChecks(make));
}
