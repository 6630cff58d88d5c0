/** A tool's schema as models are sent it, with every call: the same meaning in fewer words. */
import type { JSONSchema7 } from '@ai-sdk/provider';

type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** Shorter ones are no longer than what would refer to them. */
const SHORTEST_DEFINITION = 120;

/**
 * A copy as plain JSON, where a choice between constants is an `enum`, and an object that is described several times is
 * a definition that the places refer to. The tool itself still checks with its own.
 */
export function schemaForModel(schema: object): JSONSchema7 {
  const compacted = compact(JSON.parse(JSON.stringify(schema)) as Json);
  return (hasDefinitions(compacted) ? compacted : new Definitions(compacted).root) as JSONSchema7;
}

const hasDefinitions = (root: Json) => typeof root === 'object' && root !== null && '$defs' in root;

/** Finds the objects that are described several times. */
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

  /** `key` is that of the property which the value belongs to: a definition is called after the first. */
  #placed(value: Json, key: string): Json {
    if (typeof value !== 'object' || value === null) return value;
    const text = describesObject(value) ? JSON.stringify(value) : '';
    if (text.length < SHORTEST_DEFINITION || (this.#times.get(text) ?? 0) < 2) return this.#inside(value, key);
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
  const kept = Object.entries(choices === undefined ? value : rest).map(([key, item]) => [key, compact(item)]);
  return { ...(Object.fromEntries(kept) as Record<string, Json>), ...choices };
}

/** `undefined` unless these are all constants of one type and nothing else is said of them. */
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
