import type { TSchema } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { CatalogFile, EntityFile, GlossaryFile, MetricsFile } from '../../../../../semantic-layer/index.ts';
import { isKeys, keysOf, type Values } from './layer-keys.ts';

/** The words to choose from, the keys with their own shapes, or `null` where anything may stand. */
type Shape = readonly string[] | null | { readonly [key: string]: Shape };

const shapesOf = <T>(map: Readonly<Record<string, T>>, shapeOf: (value: T) => Shape): Shape =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, shapeOf(value)]));

function allowed(schema: TSchema): Shape {
  if (schema.properties !== undefined) return shapesOf<TSchema>(schema.properties, allowed);
  if (schema.items !== undefined) return allowed(schema.items);
  if (schema.const !== undefined) return [schema.const];
  if (schema.type === 'boolean') return ['true', 'false'];
  const choices: Shape[] = (schema.anyOf ?? []).map(allowed);
  if (choices.length > 0 && choices.every((choice) => Array.isArray(choice))) return choices.flat();
  const maps = choices.filter((choice) => choice !== null && !Array.isArray(choice));
  return maps.length === 0 ? null : Object.assign({}, ...maps);
}

function suggested(values: Values): Shape {
  if (typeof values === 'string') return null;
  return isKeys(values) ? shapesOf(values, suggested) : values;
}

it.each([
  ['entities/x.yml', EntityFile],
  ['metrics/x.yml', MetricsFile],
  ['glossary.yml', GlossaryFile],
  ['catalog.yml', CatalogFile],
])('suggests in %s the keys and words of its schema', (path, schema) => {
  expect(suggested(keysOf(path))).toEqual(allowed(schema));
});
