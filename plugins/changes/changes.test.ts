import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, connectTo, engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { ChangeFeed } from './feed.ts';
import { changes } from './index.ts';
import type { ChangeStore } from './store.ts';

pluginContract('changes', () => changes(), { with: () => [internalDb()] });

/** A server that writes down what it learns. */
async function serverOn(url: string | undefined) {
  const learned: (string | undefined)[] = [];
  const listener = definePlugin({
    name: 'listener',
    version: '1.0.0',
    type: 'core',
    description: 'Listens.',
    needs: { changes },
    setup(_ctx, _options, needs) {
      needs.changes.subscribe('things', (subject) => {
        if (subject === 'broken') throw new Error('This one fails.');
        learned.push(subject);
      });
    },
  });
  const app = await createTestApp({
    plugins: [internalDb({ ...(url !== undefined && { url }) }), changes({ pollMs: 50 }), listener()],
  });
  return { app, learned, publish: (topic: string, subject?: string) => app.get(changes).publish(topic, subject) };
}

describe.each(chosenEngines)('changes on %s', (_name, startEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('reach every server, in order, those that start later too, and no handler of another topic', async () => {
    const url = await engine.fresh();
    const [one, two] = [await serverOn(url), await serverOn(url)];
    await using _one: TestApp = one.app;
    await using _two: TestApp = two.app;
    const subjects = Array.from({ length: 20 }, (_, index) => String(index));
    for (const subject of subjects) (Number(subject) % 2 === 0 ? one : two).publish('things', subject);
    one.publish('others', 'nothing');
    one.publish('things', 'broken');
    one.publish('things');
    await expect.poll(() => one.learned.length).toBe(21);
    await expect.poll(() => two.learned).toEqual(one.learned);
    expect(one.learned.filter((subject) => subject !== undefined).toSorted()).toEqual(subjects.toSorted());
    expect(one.learned.filter((subject) => Number(subject) % 2 === 0)).toEqual(
      subjects.filter((subject) => Number(subject) % 2 === 0),
    );
    await expect.poll(() => one.app.get(changes).isCurrent()).toBe(true);
    const late = await serverOn(url);
    await using _late: TestApp = late.app;
    expect(late.learned).toEqual(one.learned);
  });

  it('are told although the caller is in a transaction, and old ones are deleted', async () => {
    const url = await engine.fresh();
    const [one, two] = [await serverOn(url), await serverOn(url)];
    await using _one: TestApp = one.app;
    await using _two: TestApp = two.app;
    await one.app.get(internalDb).transaction(async (trx) => {
      one.publish('things', 'ann');
      await trx.raw('select 1');
    });
    await expect.poll(() => two.learned).toEqual(['ann']);
    const within = (subject: string, end: () => void) =>
      one.app.get(internalDb).transaction(async (trx) => {
        await one.app.get(changes).publishWith(trx, 'things', [subject]);
        end();
      });
    const undone = within('eve', () => {
      throw new Error('No.');
    });
    await expect(undone).rejects.toThrow('No.');
    await within('cid', () => {});
    await expect.poll(() => two.learned).toEqual(['ann', 'cid']);
    const client = connectTo(url);
    try {
      await client('atlas_changes').update({ published_at: 0 });
      // The server that publishes for the first time looks for old ones.
      two.publish('things', 'bob');
      await expect.poll(() => one.learned).toEqual(['ann', 'cid', 'bob']);
      await expect.poll(() => client('atlas_changes').pluck('subject')).toEqual(['bob']);
    } finally {
      await client.destroy();
    }
  });
});

it('are told once the database answers again', async () => {
  await using engine = await engines[0][1]();
  const url = await engine.fresh();
  const [one, two] = [await serverOn(url), await serverOn(url)];
  await using _one: TestApp = one.app;
  await using _two: TestApp = two.app;
  const client = connectTo(url);
  try {
    await client.schema.renameTable('atlas_changes', 'away');
    one.publish('things', 'ann');
    await expect.poll(() => one.app.get(changes).isCurrent()).toBe(false);
    await client.schema.renameTable('away', 'atlas_changes');
    await expect.poll(() => two.learned).toEqual(['ann']);
    await expect.poll(() => two.app.get(changes).isCurrent()).toBe(true);
    const said = () => one.app.lines.filter(({ plugin }) => plugin === 'changes').map(({ message }) => message);
    await expect
      .poll(said)
      .toEqual(['Changes cannot be exchanged with other servers.', 'Changes of other servers are learned of again.']);
  } finally {
    await client.destroy();
  }
});

it('are told once, though old ones cannot be deleted', async () => {
  const added: (string | null)[] = [];
  const store: Pick<ChangeStore, 'add' | 'purge'> = {
    add: async (news) => void added.push(...news.map(({ subject }) => subject)),
    purge: async () => {
      throw new Error('Not now.');
    },
  };
  const feed = new ChangeFeed(store as ChangeStore, { debug() {}, info() {}, warn() {}, error() {} }, 1_000);
  feed.publish('things', 'ann');
  await feed.flush();
  await feed.flush();
  expect(added).toEqual(['ann']);
});

it('are nothing without a database', async () => {
  const { app, learned, publish } = await serverOn(undefined);
  await using _app: TestApp = app;
  publish('things', 'ann');
  expect([learned, app.get(changes).isCurrent()]).toEqual([[], true]);
});
