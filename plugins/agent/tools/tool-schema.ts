/** Compacts a tool's schema for the model without changing its meaning. */
import type { JSONSchema7 } from '@ai-sdk/provider';

type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** A shorter object is repeated: a reference would save nothing. */
const MIN_DEFINITION_CHARS = 120;

/** Mark of a field that the tool accepts and the model is not told of: each request would pay for its description. */
export const UNLISTED = { unlisted: true } as const;

/**
 * A copy as plain JSON without unlisted fields, in which a union of constants becomes an `enum` and a repeated object a
 * definition. The tool still validates with its own schema.
 */
export function schemaForModel(schema: object): JSONSchema7 {
  const compacted = compact(JSON.parse(JSON.stringify(schema)) as Json);
  return (hasDefinitions(compacted) ? compacted : new Definitions(compacted).root) as JSONSchema7;
}

const hasDefinitions = (root: Json) => typeof root === 'object' && root !== null && '$defs' in root;

/** Replaces repeated objects by references to definitions. */
class Definitions {
  readonly root: Json;
  readonly #times = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #definitions: Record<string, Json> = {};

  constructor(schema: Json) {
    this.#count(schema);
    const root = this.#inside(schema, '');
    const found = Object.keys(this.#definitions).length > 0;
    this.root = found ? { ...(root as Record<string, Json>), $defs: this.#definitions } : root;
  }

  #count(value: Json): void {
    if (typeof value !== 'object' || value === null) return;
    const text = describesObject(value) ? JSON.stringify(value) : undefined;
    if (text !== undefined) this.#times.set(text, (this.#times.get(text) ?? 0) + 1);
    for (const item of Object.values(value)) this.#count(item);
  }

  /** `key`: the property of the value; a definition is named after the first. */
  #placed(value: Json, key: string): Json {
    if (typeof value !== 'object' || value === null) return value;
    const text = describesObject(value) ? JSON.stringify(value) : '';
    if (text.length < MIN_DEFINITION_CHARS || (this.#times.get(text) ?? 0) < 2) return this.#inside(value, key);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = key in this.#definitions ? `${key}${this.#names.size}` : key;
      this.#names.set(text, name);
      this.#definitions[name] = this.#inside(value, key);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #inside(value: Json, key: string): Json {
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map((item) => this.#placed(item, key));
    const entries = Object.entries(value).map(([name, item]): [string, Json] => {
      if (name !== 'properties' || !describesObject(value)) return [name, this.#placed(item, key)];
      const properties = Object.entries(item as Record<string, Json>);
      return [name, Object.fromEntries(properties.map(([own, schema]) => [own, this.#placed(schema, own)]))];
    });
    return Object.fromEntries(entries);
  }
}

const describesObject = (value: Json): value is { readonly properties: Json } =>
  typeof value === 'object' &&
  value !== null &&
  !isList(value) &&
  value.type === 'object' &&
  typeof value.properties === 'object';

function compact(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(compact);
  const { anyOf, ...rest } = value;
  const choices = anyOf === undefined ? undefined : constants(anyOf);
  const kept = Object.entries(choices === undefined ? value : rest)
    .filter(([, item]) => !isUnlisted(item))
    .map(([key, item]) => [key, compact(item)]);
  return { ...(Object.fromEntries(kept) as Record<string, Json>), ...choices };
}

const isUnlisted = (item: Json) => typeof item === 'object' && item !== null && !isList(item) && item.unlisted === true;

/** The type and values of a union of constants of one type; `undefined` for any other union. */
function constants(anyOf: Json): { readonly type: Json; readonly enum: readonly Json[] } | undefined {
  if (!isList(anyOf) || anyOf.length === 0) return undefined;
  let type: Json | undefined;
  const values: Json[] = [];
  for (const choice of anyOf) {
    if (typeof choice !== 'object' || choice === null || isList(choice)) return undefined;
    const { const: constant, type: own, ...more } = choice;
    if (constant === undefined || own === undefined || Object.keys(more).length > 0) return undefined;
    type ??= own;
    if (own !== type) return undefined;
    values.push(constant);
  }
  return type === undefined ? undefined : { type, enum: values };
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
