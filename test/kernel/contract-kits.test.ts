/** Each kit passes on a good plugin and is seen failing on a bad one, in just the check that is meant for it. */
import { describe, expect, it } from 'vitest';
import {
  authResolve,
  contextCollect,
  datasourceExecute,
  definePlugin,
  questionBefore,
  sqlCheck,
  sqlSettled,
} from '../../kernel/index.ts';
import { failingChecks } from '../contract/kit.ts';
import { pluginChecks, pluginContract } from '../contract/plugin.ts';
import {
  collectChecks,
  collectContract,
  firstChecks,
  firstContract,
  keyedChecks,
  keyedContract,
  parallelChecks,
  parallelContract,
  seriesChecks,
  seriesContract,
  waterfallChecks,
  waterfallContract,
} from '../contract/taps.ts';
import * as bad from '../fixtures/bad-plugins/plugins.ts';

const question = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' } as const;
const connection = { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:demo.db' } as const;
const statement = { connection, requested: 'SELECT 1', sql: 'SELECT 1', params: [], surface: 'api' };
const outcome = {
  request: { sql: 'SELECT 1', surface: 'api' },
  statement,
  status: 'succeeded',
  error: undefined,
  durationMs: 1,
  rowCount: 1,
  truncated: false,
} as const;
const mine = { method: 'GET', route: '/', headers: { authorization: 'Bearer mine' }, ip: '127.0.0.1' };
const foreign = { method: 'GET', route: '/', headers: {}, ip: '127.0.0.1' };

/** Keeps every rule. */
const good = definePlugin({
  name: 'good',
  version: '1.0.0',
  type: 'core',
  description: 'Keeps every rule.',
  setup(ctx) {
    const actor = { id: 'u1', label: 'u1', role: 'admin', mode: 'test', claims: {} } as const;
    ctx.tap(
      authResolve,
      ({ headers }) => (headers.authorization === 'Bearer mine' ? { actor, orgId: null } : undefined),
      {
        stage: 'pre',
      },
    );
    ctx.tap(questionBefore, (payload) => ({ ...payload, surface: 'test' }));
    ctx.tap(sqlCheck, ({ sql }) => {
      if (sql.startsWith('DROP')) throw new Error('Only reading statements may run.');
    });
    ctx.tap(sqlSettled, () => {});
    ctx.tap(contextCollect, () => [{ title: 'Note', text: 'All is well.', trusted: true }]);
    ctx.tapKey(datasourceExecute, 'default', () => ({ columns: [], rows: [], truncated: false, notes: [] }));
  },
});

const dropped = { ...statement, sql: 'DROP TABLE orders' };

pluginContract('good', () => good());
firstContract(authResolve, () => good(), { payloads: [mine], foreign: [] });
waterfallContract(questionBefore, () => good(), { payloads: [question] });
seriesContract(sqlCheck, () => good(), { payloads: [statement], refused: [dropped] });
parallelContract(sqlSettled, () => good(), { payloads: [outcome] });
collectContract(contextCollect, () => good(), { payloads: [question] });
keyedContract(datasourceExecute, () => good(), { payloads: [statement], key: 'default' });

describe('the plugin kit fails on', () => {
  it.each([
    ['a bad name and description', bad.badName(), ['says who it is', 'starts and closes in time']],
    [
      'a setup that throws',
      bad.throwsInSetup(),
      ['starts and closes in time', 'runs twice', 'prints nothing', 'leaves no timer'],
    ],
    [
      'a close that throws',
      bad.closesBadly(),
      ['starts and closes in time', 'runs twice', 'prints nothing', 'leaves no timer'],
    ],
    ['module-level state', bad.countsBoots(), ['runs twice']],
    ['options without a schema for them', bad.takesAnyOption(), ['refuses an option']],
    ['printing', bad.printsToConsole(), ['prints nothing']],
    ['a timer left behind', bad.leaksTimer(), ['leaves no timer']],
  ])('%s', async (_, entry, expected) => {
    const failing = await failingChecks(pluginChecks(() => entry, { timeoutMs: 500 }));
    for (const name of expected) expect(failing.join('\n')).toContain(name);
    if (expected.length === 1) expect(failing).toHaveLength(1);
  });
});

describe('the tap kits fail on', () => {
  const make = () => bad.badTaps();
  it('a first tap that answers what is not its own', async () => {
    const failing = await failingChecks(
      firstChecks(authResolve, () => good(), { payloads: [mine], foreign: [foreign] }),
    );
    expect(failing).toEqual(['answers undefined to what is not its own']);
  });
  it('a waterfall tap that changes its payload in place', async () => {
    const failing = await failingChecks(waterfallChecks(questionBefore, make, { payloads: [question] }));
    expect(failing).toEqual(['returns a new payload with every key of the old, which it leaves unchanged']);
  });
  it('a series tap that vetoes nothing', async () => {
    const failing = await failingChecks(seriesChecks(sqlCheck, make, { payloads: [statement], refused: [dropped] }));
    expect(failing).toEqual(['refuses what it must, with a sentence']);
  });
  it('an observer that throws', async () => {
    const failing = await failingChecks(parallelChecks(sqlSettled, make, { payloads: [outcome] }));
    expect(failing).toEqual(['observes without failing and leaves the payload unchanged']);
  });
  it('a collect tap with holes', async () => {
    const failing = await failingChecks(collectChecks(contextCollect, make, { payloads: [question] }));
    expect(failing).toEqual(['gives a list of items, none of them undefined']);
  });
  it('a plugin that does not tap the hook at all', async () => {
    const failing = await failingChecks(
      keyedChecks(datasourceExecute, () => bad.tapsNothing(), { payloads: [statement], key: 'default' }),
    );
    expect(failing).toEqual(['taps datasource.execute', 'answers for "default"']);
  });
});
