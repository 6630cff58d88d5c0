import { expect, it } from 'vitest';
import { Seen } from './seen.ts';

const JANUARY = ['2026-01-01', '2026-01-02', '2026-01-03'] as const;
/** What was seen of signs such as `ann 1`: by whom and on which day. */
function seenOf(signs: string, minPeople: number) {
  const seen = new Seen<string>({ minPeople });
  for (const [id, sign] of signs.split(', ').entries()) {
    const [person = '', day] = sign.split(' ');
    seen.add('key', 'value', { id: String(id), person, day: JANUARY[Number(day) - 1] ?? '' });
  }
  return seen.frequent().map((one) => [one.seen, one.support.statements, one.support.people, one.support.days]);
}

it.each([
  ['ann 1, ann 1, ann 1, ann 1', 1, []],
  ['ann 1, ann 2, ann 2', 1, []],
  ['ann 1, ann 2, ann 3, ann 3', 1, [[3, 4, 1, 3]]],
  ['ann 1, ann 2, ann 3, ann 3', 2, []],
  ['ann 1, bob 1', 2, []],
  ['ann 1, bob 1, cyd 1', 2, [[3, 3, 3, 1]]],
  ['ann 1, ann 2, bob 2', 2, [[3, 3, 2, 2]]],
])('%s, of at least %i people, is %j', (signs, minPeople, expected) => {
  expect(seenOf(signs, minPeople)).toEqual(expected);
});
