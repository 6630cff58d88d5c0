import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { jsonBody } from './json-body.ts';

const LONGEST = 1024 * 1024;
/** Fewer would mean pieces that take long. */
const TURNS_OF_LONGEST = 20;

async function start() {
  const app = Fastify();
  await app.register(jsonBody, { hold: () => {} });
  app.post('/', async ({ body }) => ({ size: (body as unknown[]).length }));
  await app.ready();
  return app;
}

const post = (payload: string) => ({
  method: 'POST' as const,
  url: '/',
  payload,
  headers: { 'content-type': 'application/json' },
});

const lists: readonly (readonly [name: string, item: (n: number) => string])[] = [
  ['empty objects', () => '{}'],
  ['different keys', (n) => `{"k${n}":1}`],
  ['nested lists', () => '['.repeat(90) + ']'.repeat(90)],
];

test.each(lists)('bodies of %s are read in turns of the event loop', async (_, item) => {
  await using app = await start();
  const items: string[] = [];
  for (let length = 2; length < LONGEST - 1000; length += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length));
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const bodies = [1, 2, 3];
  const answers = await Promise.all(bodies.map(() => app.inject(post(`[${items}]`))));
  isOver = true;
  await counting;
  expect(answers.map((answer) => answer.json())).toEqual(bodies.map(() => ({ size: items.length })));
  expect(turns).toBeGreaterThan(bodies.length * TURNS_OF_LONGEST);
});
