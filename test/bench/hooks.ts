/** Hook dispatch against a direct async call and against the hookable library, with asynchronous taps. */
import { createHooks } from 'hookable';
import { keyed, series } from '../../kernel/hooks/kinds.ts';
import { HookRegistry } from '../../kernel/hooks/registry.ts';
import { testScope } from '../harness/create-test-app.ts';
import { type Bench, median, nanosecondsOf, type Row } from './measure.ts';

const TARGETS = [
  { taps: 0, ratio: 1.5 },
  { taps: 1, ratio: 3 },
  { taps: 5, ratio: 8.5 },
  { taps: 20, ratio: 36 },
];
const ROUNDS = 9;
const CALLS = 30_000;
const payload = { sql: 'SELECT 1' };

async function tap(_payload: object): Promise<void> {}

function ours(taps: number): () => unknown {
  const hook = series<object>('bench.series', { summary: 'For the benchmark.' });
  const hooks = new HookRegistry([]);
  for (let index = 0; index < taps; index += 1) hooks.tap(`plugin-${index}`, hook, tap, {});
  hooks.seal(() => undefined);
  const scope = testScope();
  return () => hooks.call(hook, payload, scope);
}

function oursKeyed(): () => unknown {
  const hook = keyed<object, undefined>('bench.keyed', { summary: 'For the benchmark.' });
  const hooks = new HookRegistry([]);
  for (const key of ['a', 'b', 'c']) hooks.tap(`plugin-${key}`, hook, async () => undefined, { key });
  hooks.seal(() => undefined);
  const scope = testScope();
  return () => hooks.callKey(hook, 'b', payload, scope);
}

function theirs(taps: number): () => unknown {
  const hooks = createHooks<{ bench(payload: object): Promise<void> }>();
  for (let index = 0; index < taps; index += 1) hooks.hook('bench', tap);
  return () => hooks.callHook('bench', payload);
}

/** Medians over rounds in which every subject runs once, so that a busy moment hits all of them. */
async function interleaved(subjects: readonly (() => unknown)[]): Promise<number[]> {
  const times: number[][] = subjects.map(() => []);
  for (const subject of subjects) await nanosecondsOf(subject, CALLS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, subject] of subjects.entries()) times[index]?.push(await nanosecondsOf(subject, CALLS));
  }
  return times.map(median);
}

export const hooks: Bench = async () => {
  const rows: Row[] = [];
  for (const { taps, ratio } of TARGETS) {
    const [direct = 0, own = 0, peer = 0] = await interleaved([() => tap(payload), ours(taps), theirs(taps)]);
    const what = `dispatch, ${taps} async taps`;
    rows.push({ what: `${what}, against a direct async call`, value: own, unit: 'ns', floor: direct, target: ratio });
    rows.push({
      what: `${what}, against hookable`,
      value: own,
      unit: 'ns',
      floor: peer,
      ...(taps > 0 ? { target: 1 } : {}),
    });
  }
  const [direct = 0, own = 0] = await interleaved([() => tap(payload), oursKeyed()]);
  rows.push({ what: 'keyed dispatch, against a direct async call', value: own, unit: 'ns', floor: direct, target: 3 });
  return rows;
};
