/**
 * Finds what is wrong with a value. TypeBox by itself looks at every value for it, which takes longer than everything else
 * where the fault is at the end of a long list; here only items are looked at that do not pass.
 */
import { Kind, type TArray, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { Value, type ValueError } from '@sinclair/typebox/value';

const UNKNOWN = Type.Unknown();
const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

function passes(schema: TSchema, value: unknown): boolean {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = TypeCompiler.Compile(schema);
    compiled.set(schema, check);
  }
  return check.Check(value);
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Every fault of the value, those of a list's or an object's own before those inside. */
export function* faultsOf(schema: TSchema, value: unknown, path = ''): Generator<ValueError, void> {
  const kind = schema[Kind];
  if (kind === 'Array' && Array.isArray(value)) yield* faultsOfList(schema as TArray, value, path);
  else if (kind === 'Object' && isContainer(value)) yield* faultsOfObject(schema as TObject, value, path);
  else yield* at(path, Value.Errors(schema, value));
}

function* faultsOfList(schema: TArray, value: readonly unknown[], path: string): Generator<ValueError, void> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  if (value.length < minItems || value.length > maxItems || uniqueItems) {
    // The first: no other matters then, and to look for them takes long.
    const [fault] = Value.Errors({ ...schema, items: UNKNOWN }, value);
    if (fault !== undefined) yield { ...fault, path };
  }
  for (const [index, item] of value.entries()) {
    if (!passes(schema.items, item)) yield* faultsOf(schema.items, item, `${path}/${index}`);
  }
}

function* faultsOfObject(schema: TObject, value: object, path: string): Generator<ValueError, void> {
  const inner = Object.entries(schema.properties).filter(
    ([name, { [Kind]: kind }]) =>
      (kind === 'Array' || kind === 'Object') && Object.hasOwn(value, name) && isContainer(value[name as never]),
  );
  const own = { ...schema.properties, ...Object.fromEntries(inner.map(([name]) => [name, UNKNOWN])) };
  yield* at(path, Value.Errors({ ...schema, properties: own }, value));
  for (const [name, property] of inner) yield* faultsOf(property, value[name as never], `${path}/${name}`);
}

function* at(path: string, errors: Iterable<ValueError>): Generator<ValueError, void> {
  for (const error of errors) yield { ...error, path: path + error.path };
}
