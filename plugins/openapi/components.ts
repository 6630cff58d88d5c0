/** Writes schemas as OpenAPI takes them, each named one once, under `components.schemas`. */
import type { TSchema } from '@sinclair/typebox';
import { AtlasError } from '../../kernel/index.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What only Atlas reads of a schema. */
const OWN_KEYS: readonly string[] = ['$id', 'errorMessage', 'title'];
/** Keys whose values are data, not schemas. */
const DATA_KEYS: readonly string[] = ['default', 'const', 'enum', 'examples', 'required'];
/** TypeBox's pattern for every key of a record. */
const EVERY_KEY = '^(.*)$';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A choice of texts as an enumeration, which generators understand better. */
function asEnum({ anyOf, ...rest }: Json): Json | undefined {
  const literals = (anyOf as Json[]).map(({ const: literal }) => literal);
  if (!literals.every((literal) => typeof literal === 'string')) return undefined;
  return { type: 'string', enum: literals, ...rest };
}

/** Objects that a constant tells apart: exactly one of them fits. */
function asOneOf({ anyOf, ...rest }: Json, resolve: (schema: Json) => Json): Json | undefined {
  const members = (anyOf as Json[]).map(
    (member) => (resolve(member).properties ?? {}) as Readonly<Record<string, Json>>,
  );
  const isTelling = (name: string) => new Set(members.map((member) => member[name]?.const)).size === members.length;
  const constants = Object.entries(members[0] ?? {}).filter(([, property]) => property.const !== undefined);
  return constants.some(([name]) => isTelling(name)) ? { oneOf: anyOf, ...rest } : undefined;
}

export class Components {
  readonly #schemas = new Map<string, Json>();

  /** All that have been named so far, by name. */
  get schemas(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The schema as the document says it. Parts with a `title`, and with a `name` the schema itself, are named and
   * referred to. Throws when two different schemas have the same name.
   */
  write(schema: TSchema, name?: string): Json {
    const json = JSON.parse(JSON.stringify(schema)) as Json;
    return this.#written(name === undefined ? json : { title: name, ...json });
  }

  #written(schema: Json): Json {
    const entries = Object.entries(schema).filter(([key]) => !OWN_KEYS.includes(key));
    const written = this.#simplified(Object.fromEntries(entries.map(([key, value]) => [key, this.#value(key, value)])));
    return typeof schema.title === 'string' ? this.#named(schema.title, written) : written;
  }

  #value(key: string, value: unknown): unknown {
    if (DATA_KEYS.includes(key)) return value;
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? this.#written(item) : item));
    if (!isObject(value)) return value;
    // The names of properties are not keywords.
    if (key !== 'properties' && key !== 'patternProperties') return this.#written(value);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#written(item as Json)]));
  }

  #simplified(schema: Json): Json {
    const { patternProperties, ...rest } = schema;
    if (isObject(patternProperties) && Object.keys(patternProperties).join() === EVERY_KEY) {
      return { ...rest, additionalProperties: patternProperties[EVERY_KEY] };
    }
    if (!Array.isArray(schema.anyOf)) return schema;
    return asEnum(schema) ?? asOneOf(schema, (member) => this.#resolved(member)) ?? schema;
  }

  #resolved(schema: Json): Json {
    const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;
    return (name === undefined ? undefined : this.#schemas.get(name)) ?? schema;
  }

  #named(name: string, schema: Json): Json {
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new AtlasError(`Two different schemas of routes have the title "${name}".`, {
        code: 'configuration_error',
        reason: 'E_SCHEMA_NAME_TAKEN',
        hint: 'Give one of them another title.',
      });
    }
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }
}
