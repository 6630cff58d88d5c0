/**
 * What a tap of each kind of hook must keep, one kit a kind:
 * `waterfallContract(sqlBefore, () => myPlugin(), { payloads: [statement] })`.
 */
import assert from 'node:assert/strict';
import type { AnyHook, App, Hook, PluginEntry } from '../../kernel/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { type Check, deepFreeze, registerChecks } from './kit.ts';

export interface TapContractOptions<P> {
  /** Payloads that the tap must take. */
  readonly payloads: readonly P[];
  /** The plugins it needs. */
  readonly with?: () => readonly PluginEntry[];
  /** What the plugin's clock shows. Default as in `createTestApp`. */
  readonly now?: Date;
}

interface Subject<P> extends TapContractOptions<P> {
  readonly hook: AnyHook;
  make(): PluginEntry;
}

async function withApp<P>(subject: Subject<P>, use: (app: App, plugin: string) => Promise<void>): Promise<void> {
  const entry = subject.make();
  await using app = await createTestApp({
    plugins: [...(subject.with?.() ?? []), entry],
    ...(subject.now !== undefined && { now: subject.now }),
  });
  await use(app, entry.definition.name);
}

/** Checks that hold for every kind: it taps, it leaves the payload alone, it answers in time. */
function commonChecks<P>(subject: Subject<P>): Check[] {
  const { hook } = subject;
  return [
    {
      name: `taps ${hook.id}`,
      run: () =>
        withApp(subject, async (app, plugin) => {
          const taps = app.describe().hooks.find(({ id }) => id === hook.id)?.taps ?? [];
          assert.ok(taps.some((tap) => tap.plugin === plugin));
        }),
    },
  ];
}

function answering<P>(subject: Subject<P>, name: string, check: (answer: unknown, payload: P) => void): Check {
  return {
    name,
    run: () =>
      withApp(subject, async (app) => {
        for (const payload of subject.payloads) {
          check(await app.call(subject.hook, deepFreeze(payload), app.scope()), payload);
        }
      }),
  };
}

/** `foreign`: payloads that are not this tap's, for which it must answer `undefined`. */
export function firstChecks<P, R>(
  hook: Hook<'first', P, R>,
  make: () => PluginEntry,
  options: TapContractOptions<P> & { readonly foreign: readonly P[] },
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    answering(subject, 'answers its own payloads and leaves them unchanged', (answer) =>
      assert.notEqual(answer, undefined),
    ),
    answering({ ...subject, payloads: options.foreign }, 'answers undefined to what is not its own', (answer) =>
      assert.equal(answer, undefined),
    ),
  ];
}

export function waterfallChecks<P>(
  hook: Hook<'waterfall', P>,
  make: () => PluginEntry,
  options: TapContractOptions<P>,
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    answering(
      subject,
      'returns a new payload with every key of the old, which it leaves unchanged',
      (answer, payload) => {
        assert.equal(typeof answer, typeof payload);
        if (typeof payload !== 'object' || payload === null) return;
        for (const key of Object.keys(payload)) assert.ok(key in (answer as object), `lost "${key}"`);
      },
    ),
  ];
}

/** `refused`: payloads that the tap must veto. */
export function seriesChecks<P>(
  hook: Hook<'series', P>,
  make: () => PluginEntry,
  options: TapContractOptions<P> & { readonly refused: readonly P[] },
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    answering(subject, 'lets through what it must, unchanged', () => {}),
    {
      name: 'refuses what it must, with a sentence',
      run: () =>
        withApp(subject, async (app) => {
          for (const payload of options.refused) {
            const call = app.call(subject.hook, deepFreeze(payload), app.scope());
            await assert.rejects(call, (error: Error) => /\S{2,} \S/.test(error.message));
          }
        }),
    },
  ];
}

export function parallelChecks<P>(
  hook: Hook<'parallel', P>,
  make: () => PluginEntry,
  options: TapContractOptions<P>,
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    answering(subject, 'observes without failing and leaves the payload unchanged', (failures) =>
      assert.deepEqual(failures, []),
    ),
  ];
}

export function collectChecks<P, R>(
  hook: Hook<'collect', P, R>,
  make: () => PluginEntry,
  options: TapContractOptions<P>,
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    answering(subject, 'gives a list of items, none of them undefined', (items) => {
      assert.ok(Array.isArray(items));
      assert.ok(items.every(({ value }) => value !== undefined));
    }),
  ];
}

/** `key`: the key that the plugin owns. */
export function keyedChecks<P, R>(
  hook: Hook<'keyed', P, R>,
  make: () => PluginEntry,
  options: TapContractOptions<P> & { readonly key: string },
): Check[] {
  const subject = { ...options, hook, make };
  return [
    ...commonChecks(subject),
    {
      name: `answers for "${options.key}"`,
      run: () =>
        withApp(subject, async (app) => {
          for (const payload of options.payloads) {
            assert.notEqual(await app.callKey(hook, options.key, deepFreeze(payload), app.scope()), undefined);
          }
        }),
    },
  ];
}

/** Makes the one-line form of a kit: `const firstContract = contractOf(firstChecks)`. */
function contractOf<A extends [AnyHook, ...unknown[]]>(checks: (...args: A) => Check[]) {
  return (...args: A) => registerChecks(`${args[0].kind} tap contract: ${args[0].id}`, checks(...args));
}

export const firstContract = contractOf(firstChecks);
export const waterfallContract = contractOf(waterfallChecks);
export const seriesContract = contractOf(seriesChecks);
export const parallelContract = contractOf(parallelChecks);
export const collectContract = contractOf(collectChecks);
export const keyedContract = contractOf(keyedChecks);
