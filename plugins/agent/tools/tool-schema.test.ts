import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { schemaForModel } from './tool-schema.ts';

test('a union of constants becomes an enum at any depth', () => {
  const Grain = Type.Union([Type.Literal('day'), Type.Literal('week')], { description: 'how fine' });
  const schema = Type.Object({ by: Type.Array(Type.Object({ grain: Type.Optional(Grain) })), top: Type.Literal(1) });
  expect(schemaForModel(schema)).toEqual({
    type: 'object',
    required: ['by', 'top'],
    properties: {
      by: {
        type: 'array',
        items: {
          type: 'object',
          properties: { grain: { type: 'string', enum: ['day', 'week'], description: 'how fine' } },
        },
      },
      top: { type: 'number', const: 1 },
    },
  });
});

test('other unions, and properties named like a keyword, stay unchanged', () => {
  const schemas = [
    Type.Union([Type.String(), Type.Number()]),
    Type.Union([Type.Literal('a'), Type.Literal(1)]),
    Type.Union([Type.Literal('a', { description: 'the first' }), Type.Literal('b')]),
    Type.Object({ anyOf: Type.Array(Type.String()), enum: Type.String(), const: Type.String() }),
  ];
  for (const schema of schemas) expect(schemaForModel(schema)).toEqual(JSON.parse(JSON.stringify(schema)));
});

test('a repeated object becomes one definition', () => {
  const Filter = Type.Object({
    column: Type.String({ description: 'a column of the entity that the filter is on, by its name' }),
    value: Type.Number(),
  });
  const Group = Type.Object({ name: Type.String(), filters: Type.Array(Filter), more: Type.Optional(Filter) });
  const schema = schemaForModel(Type.Object({ filters: Type.Array(Filter), groups: Type.Array(Group) }));
  const filters = { type: 'array', items: { $ref: '#/$defs/filters' } };
  expect(schema).toMatchObject({
    properties: { filters, groups: { items: { properties: { filters, more: { $ref: '#/$defs/filters' } } } } },
    $defs: { filters: { type: 'object', properties: { value: { type: 'number' } } } },
  });
  const once = Type.Object({ filters: Type.Array(Filter) });
  expect(schemaForModel(once)).toEqual(JSON.parse(JSON.stringify(once)));
});
