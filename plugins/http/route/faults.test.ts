import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeEach, expect, it, vi } from 'vitest';
import { faultsOf } from './faults.ts';

/** What TypeBox was asked to explain. */
const explained = vi.hoisted((): unknown[] => []);
vi.mock('@sinclair/typebox/value', async (original) => {
  const actual = await original<typeof import('@sinclair/typebox/value')>();
  const Errors = (schema: TSchema, value: unknown) => {
    explained.push(value);
    return actual.Value.Errors(schema, value);
  };
  return { ...actual, Value: { ...actual.Value, Errors } };
});
beforeEach(() => {
  explained.length = 0;
});

const Part = Type.Object({ type: Type.String({ minLength: 1 }), text: Type.Optional(Type.Unknown()) });
const Message = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  parts: Type.Array(Part, { minItems: 1 }),
  about: Type.Optional(Type.Object({ tags: Type.Array(Type.String(), { uniqueItems: true, maxItems: 3 }) })),
});
const Body = Type.Object(
  { messages: Type.Array(Message, { minItems: 1, maxItems: 3 }), map: Type.Optional(Type.Record(Type.String(), Part)) },
  { additionalProperties: false },
);

const part = { type: 'text', text: 1 };
const message = { role: 'user', parts: [part] };

it.each<[unknown]>([
  [{ messages: [message] }],
  [{ messages: [] }],
  [{ messages: [message, message, message, message] }],
  [{ messages: {} }],
  [{ messages: null }],
  [{}],
  [[]],
  [null],
  ['x'],
  [{ messages: [message], more: 1, map: { a: {}, b: part } }],
  [{ messages: [message, {}, 5, { ...message, role: 'x' }] }],
  [
    {
      messages: [
        { ...message, parts: [] },
        { ...message, parts: [part, { type: '' }, null, []] },
      ],
      map: [],
    },
  ],
  [
    {
      messages: [
        { ...message, about: { tags: ['a', 'a'] } },
        { ...message, about: { tags: [1, 2, 3, 4] } },
      ],
    },
  ],
  [
    {
      messages: [
        { ...message, about: { tags: {} } },
        { ...message, about: [] },
        { ...message, about: 1 },
      ],
    },
  ],
])('finds the faults that TypeBox finds: %j', (value) => {
  const shown = (errors: Iterable<{ path: string; type: number }>) =>
    [...errors].map(({ path, type }) => `${path} ${type}`).sort();
  expect(shown(faultsOf(Body, value))).toEqual(shown(Value.Errors(Body, value)));
});

it('looks at no item of a list that is right', () => {
  const messages = [...Array.from({ length: 2 }, () => message), { ...message, parts: [...Array(9).fill(part), 1] }];
  expect([...faultsOf(Body, { messages })].map(({ path }) => path)).toContain('/messages/2/parts/9');
  expect(explained).toEqual([{ messages }, messages[2], 1]);
});
