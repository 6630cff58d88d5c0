/** Reads environment variables by the schemas of the plugin options that they set. */
import { isIP } from 'node:net';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { AnyPluginDefinition, PluginEntry } from '../kernel/index.ts';

/** How the text of a variable becomes the value of an option. */
export interface Syntax {
  /** The expected text, for messages and the documentation: `an integer from 1 to 65535`. */
  readonly expected: string;
  /** `undefined`: invalid. */
  read(text: string): unknown;
}

export interface Variable extends Syntax {
  readonly name: string;
  /** Holds range, default and description of the option that the variable sets. */
  readonly schema: TSchema;
  /** The options: `http.port`; empty where it decides something else. */
  readonly options: readonly string[];
}

/** What the option means; its name in messages, which is the variable, is left out. */
export const meaningOf = ({ name, schema }: Variable): string => (schema.description ?? '').replace(`: ${name}`, '');

/** The valid values that are set, by variable. */
export type Values = ReadonlyMap<string, unknown>;

/** Variables that set the options `O`. */
export interface Settings<O> {
  readonly variables: readonly Variable[];
  /** The variables without which there are no options. */
  readonly required: readonly string[];
  /** The options with their defaults; `undefined` while a required variable is not set. */
  read(values: Values): O | undefined;
  /** One sentence for each group of variables that is set in part. */
  problems(values: Values): string[];
}

interface NamedVariable {
  readonly [NAMED]: string;
  readonly syntax: Syntax;
}
const NAMED = Symbol('name');

/** Variables by option, in the shape of the options `T`; a list of options has one item. */
export type Names<T> =
  | string
  | NamedVariable
  | (T extends readonly (infer Item)[]
      ? readonly [Names<Item>]
      : T extends object
        ? { readonly [K in keyof T]?: Names<NonNullable<T[K]>> }
        : never);

/** A variable whose syntax the schema of its option does not tell. */
export function named(name: string, syntax: Syntax): NamedVariable {
  return { [NAMED]: name, syntax };
}

export type AnyPlugin = ((...given: never[]) => PluginEntry) & { readonly definition: AnyPluginDefinition };
export type OptionsOf<P extends AnyPlugin> = NonNullable<Parameters<P>[0]>;

/** The variables that set options of a plugin: `settings(http, { port: 'PORT' })`. */
export function settings<P extends AnyPlugin>(plugin: P, names: Names<OptionsOf<P>>): Settings<OptionsOf<P>> {
  const { name, options } = plugin.definition;
  return settingsOf<OptionsOf<P>>(options, names, name);
}

/** The same for a schema that belongs to no plugin. */
export function settingsOf<O>(schema: TSchema, names: Names<O>, path = ''): Settings<O> {
  if (typeof names === 'string') return leaf(schema, names, syntaxOf(schema), path);
  if (isNamed(names)) return leaf(schema, names[NAMED], names.syntax, path);
  if (Array.isArray(names)) {
    const item = settingsOf<unknown>(schema.items, names[0] as Names<unknown>, `${path}[]`);
    return { ...item, read: (values) => (item.read(values) === undefined ? undefined : ([item.read(values)] as O)) };
  }
  return group(schema, names as Readonly<Record<string, Names<unknown>>>, path);
}

const isNamed = (names: unknown): names is NamedVariable =>
  typeof names === 'object' && names !== null && NAMED in names;

function leaf<O>(schema: TSchema, name: string, { expected, read }: Syntax, path: string): Settings<O> {
  const variable: Variable = {
    name,
    schema,
    options: path.includes('.') ? [path] : [],
    expected,
    read(text) {
      const value = read(text);
      return Value.Check(schema, value) ? value : undefined;
    },
  };
  return {
    variables: [variable],
    required: [name],
    read: (values) => (values.get(name) ?? schema.default) as O | undefined,
    problems: () => [],
  };
}

function group<O>(schema: TSchema, names: Readonly<Record<string, Names<unknown>>>, path: string): Settings<O> {
  const parts = Object.entries(names).map(([key, name]) => {
    const option: TSchema = schema.properties[key];
    const isRequired = (schema.required ?? []).includes(key) && option.default === undefined;
    return {
      key,
      isRequired,
      isGroup: typeof name === 'object',
      ...settingsOf<unknown>(option, name, path === '' ? key : `${path}.${key}`),
    };
  });
  const required = parts.filter(({ isRequired }) => isRequired).flatMap((part) => part.required);
  return {
    variables: parts.flatMap(({ variables }) => variables),
    required,
    read(values) {
      if (!required.every((name) => values.has(name))) return undefined;
      const given = parts.map(({ key, read }) => [key, read(values)]);
      return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as O;
    },
    problems: (values) =>
      parts
        .filter(({ isGroup, isRequired }) => isGroup && !isRequired)
        .flatMap((part) => {
          const isSet = part.variables.some(({ name }) => values.has(name));
          if (!isSet || part.required.every((name) => values.has(name))) return [];
          return [`${part.required.join(' and ')} need each other; set both, or neither.`];
        }),
  };
}

/** The syntax that the type of an option asks for. */
function syntaxOf(schema: TSchema): Syntax {
  const { type, anyOf } = schema;
  const literals: readonly unknown[] = (anyOf ?? []).map((option: TSchema) => option.const);
  if (anyOf !== undefined) {
    return literals.includes(undefined)
      ? syntaxOf(anyOf[0])
      : { expected: `one of ${literals.join(', ')}`, read: (text) => literals.find((literal) => literal === text) };
  }
  if (type === 'integer' || type === 'number') return { expected: rangeOf(schema), read: number };
  if (type === 'boolean') return { expected: 'true or false', read: flag };
  if (type === 'array') return { expected: schema.expected ?? 'a comma-separated list', read: list };
  if (type !== 'object') return { expected: schema.expected ?? lengthOf(schema), read: (text) => text };
  const [item]: readonly TSchema[] = Object.values(schema.patternProperties ?? {});
  return item?.type === 'string'
    ? { expected: 'a comma-separated list of key=value', read: pairs }
    : { expected: 'a JSON object', read: json };
}

function rangeOf({ type, minimum = 0, maximum }: TSchema): string {
  const kind = type === 'integer' ? 'an integer' : 'a number';
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

const lengthOf = ({ minLength = 1 }: TSchema) =>
  minLength > 1 ? `a text of at least ${minLength} characters` : 'text';

const number = (text: string) => (/^(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : undefined);

const flag = (text: string) => (/^(true|1)$/.test(text) ? true : /^(false|0)$/.test(text) ? false : undefined);

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** As OpenTelemetry writes headers and attributes; values may be percent-encoded. */
function pairs(text: string): Record<string, string> | undefined {
  const found = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return found.includes(null)
      ? undefined
      : Object.fromEntries(found.map((pair) => [pair?.[1], decodeURIComponent(pair?.[2] ?? '')]));
  } catch {
    return undefined;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const httpUrl: Syntax = {
  expected: 'an http or https URL',
  read: (text) => (/^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
};

/** The URL of a database by its scheme; the driver of that scheme checks the rest. */
export function urlOf(schemes: readonly string[]): Syntax {
  return {
    expected: `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`,
    read: (text) => (schemes.some((scheme) => text.startsWith(`${scheme}:`)) ? text : undefined),
  };
}

/** True, false, or the addresses and networks of proxies. */
export const proxies: Syntax = {
  expected: 'true, false, or a comma-separated list of addresses and networks',
  read(text) {
    const networks = list(text);
    const areNetworks = networks.length > 0 && networks.every((item) => isIP(item.replace(/\/\d{1,3}$/, '')) > 0);
    return flag(text) ?? (areNetworks ? networks : undefined);
  },
};

/** Whether `NODE_ENV` is `production`, in any case of letters. */
export const production: Syntax = {
  expected: '`production`, or any other text',
  read: (text) => text.toLowerCase() === 'production',
};

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@*]+\/?$/i;

const isOrigin = (text: string) => ORIGIN.test(text) && URL.canParse(text);
const isHttpOrigin = (text: string) => /^https?:/i.test(text) && isOrigin(text);

/** In lower case and without the scheme's default port, as browsers write it. */
function normalizedOrigin(origin: string): string {
  const { origin: known } = new URL(origin);
  return known === 'null' ? origin.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()) : known;
}

/** The address of a server, without a path. */
export const httpOrigin: Syntax = {
  expected: 'an http or https URL without a path, such as https://api.example.com',
  read: (text) => (isHttpOrigin(text) ? normalizedOrigin(text) : undefined),
};

/** The address under which people reach a server, with a path or without, and without what would stand behind a link. */
export const baseUrl: Syntax = {
  expected: 'an http or https URL without a query, such as https://atlas.example.com',
  read: (text) =>
    /^https?:\/\/[^\s?#@\\]+$/i.test(text) && URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : undefined,
};

function originsOf(text: string, isAllowed: (origin: string) => boolean): readonly string[] | undefined {
  const items = list(text);
  if (items.length === 0 || !items.every((item) => item === '*' || isAllowed(item))) return undefined;
  return items.map((item) => (item === '*' ? item : normalizedOrigin(item)));
}

const ORIGINS = 'a comma-separated list of origins, such as https://app.example.com';

/** Origins of web pages. */
export const httpOrigins: Syntax = {
  expected: ORIGINS,
  read: (text) => (list(text).includes('*') ? undefined : originsOf(text, isHttpOrigin)),
};

/** Origins of web pages and of apps, by any scheme, or `*` for all of them. */
export const origins: Syntax = { expected: `${ORIGINS}, or *`, read: (text) => originsOf(text, isOrigin) };

/** One of several plugins of which one runs, such as an authentication mode. */
export interface Alternative {
  readonly name: string;
  readonly aliases: readonly string[];
  /** An authentication mode that lets everybody in. */
  readonly isOpen: boolean;
  readonly settings: Settings<unknown>;
  /** The variable that chooses it while none is chosen by name; the last alternative needs none. */
  readonly chosenBy: string | undefined;
  /** Whether it was named as the second choice, so that its own variable does not choose it beside another. */
  isReserve(values: Values): boolean;
  /** Variables that it needs beside the required ones of its options. */
  readonly needs: readonly string[];
  /** The warning about these options, if any. */
  warning(values: Values): string | undefined;
  plugin(values: Values): PluginEntry;
}

/** The alternative that was chosen. */
export interface Chosen extends Pick<Alternative, 'name' | 'isOpen'> {
  readonly plugin: PluginEntry;
}

export interface AlternativeInit<O> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly isOpen?: boolean;
  /** Options that no variable sets. */
  readonly options?: O;
  readonly chosenBy?: string;
  isReserve?(values: Values): boolean;
  readonly needs?: readonly string[];
  warning?(values: Values): string | undefined;
  /** Options that several variables decide together. */
  more?(values: Values): object;
}

/** A plugin that is chosen among others, with the variables that set its options. */
export function alternative<P extends AnyPlugin>(
  init: AlternativeInit<OptionsOf<P>>,
  plugin: P,
  names: Names<OptionsOf<P>>,
): Alternative {
  const own = settings(plugin, names);
  const create = plugin as unknown as (options: object) => PluginEntry;
  return {
    name: init.name,
    aliases: init.aliases ?? [],
    isOpen: init.isOpen === true,
    settings: own,
    chosenBy: init.chosenBy,
    isReserve: (values) => init.isReserve?.(values) === true,
    needs: init.needs ?? [],
    warning: (values) => init.warning?.(values),
    plugin: (values) => create(Object.assign({}, own.read(values), init.options, init.more?.(values))),
  };
}

/** Those whose own variable is set; a reserve counts only alone. */
function askedFor(alternatives: readonly Alternative[], values: Values): readonly Alternative[] {
  const asked = alternatives.filter(({ chosenBy }) => chosenBy !== undefined && values.has(chosenBy));
  const first = asked.filter((item) => !item.isReserve(values));
  return first.length === 0 ? asked : first;
}

/** The alternative that the variable `choice` names, else the first whose own variable is set, else the last. */
export function choose(alternatives: readonly Alternative[], choice: string, values: Values): Alternative {
  const name = values.get(choice);
  const isNamed = (item: Alternative) => [item.name, ...item.aliases].some((known) => known === name);
  const found = name === undefined ? askedFor(alternatives, values)[0] : alternatives.find(isNamed);
  return found ?? (alternatives.at(-1) as Alternative);
}

/** The problem that several alternatives are asked for and none is named: none of them may be taken by chance. */
export function ambiguity(alternatives: readonly Alternative[], choice: string, values: Values): string[] {
  const asked = askedFor(alternatives, values);
  if (asked.length < 2 || values.has(choice)) return [];
  const variables = asked.map(({ chosenBy }) => chosenBy).join(' and ');
  return [`${variables} are set; choose one with ${choice}: ${asked.map(({ name }) => name).join(' or ')}.`];
}
