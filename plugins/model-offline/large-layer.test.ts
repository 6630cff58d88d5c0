import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { createModel, type ModelEntity, type SemanticModel } from '../semantic-layer/index.ts';
import { readQuestionInTurns } from './conversation.ts';

const ENTITIES = 2_000;
const now = new Date('2026-01-15T12:00:00Z');
let reads = 0;

/** Counts how often its words and joins are looked through. */
const counted = (entity: ModelEntity): ModelEntity =>
  new Proxy(entity, {
    get(target, name) {
      if (name === 'synonyms' || name === 'joins') reads += 1;
      return target[name as never];
    },
  });

function layer(): SemanticModel {
  const entities = Array.from({ length: ENTITIES }, (_, n) => {
    const name = `thing${n}`;
    const dimension = (column: string, type: string) => ({ name: column, sql: column, type, synonyms: [] });
    return counted({
      ...{ source: 'default', name, table: name, synonyms: [`item ${n}`], description: `The things ${n}.` },
      dimensions: [dimension('id', 'number'), dimension('made_at', 'timestamp'), dimension('color', 'string')],
      ...{ measures: [], segments: [], joins: [], queryPatterns: [] },
    } as unknown as ModelEntity);
  });
  return createModel({ entities, metrics: [], glossary: [], catalog: undefined }, 1, []);
}

const ask = (model: SemanticModel, question: string) => readQuestionInTurns([question], model, { now });
beforeEach(() => {
  reads = 0;
});

test('the words of a large layer are learnt in turns of the event loop, once for all who wait', async () => {
  const model = layer();
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const readings = await Promise.all([1, 2, 3].map(() => ask(model, 'How many thing7 are there?')));
  isOver = true;
  await counting;
  expect(readings).toMatchObject(readings.map(() => ({ kind: 'plan' })));
  expect(turns).toBeGreaterThan(2);
  const ofThree = reads;
  reads = 0;
  await ask(layer(), 'How many thing7 are there?');
  expect(ofThree).toBeLessThan(1.5 * reads);
});

test('a question does not look through every entity again', async () => {
  const model = layer();
  await ask(model, 'How many flowers are there?');
  reads = 0;
  expect(await ask(model, 'How many trees and flowers are there per month?')).toMatchObject({ kind: 'unclear' });
  expect(reads).toBeLessThan(20);
});
