/** Suggests what could be written at a place of a file: keys, words, and names that the layer knows. */
import { isKeys, type Keys, type Values, valuesAt } from './layer-keys.ts';
import { placeAt } from './yaml-place.ts';

/** Names that the layer knows. */
export interface KnownNames {
  readonly tables: readonly string[];
  readonly entities: readonly string[];
  /** Names the columns of the file's own entity. */
  columns(): Promise<readonly string[]>;
  /** Names the columns of any entity. */
  columnsOf(entity: string): Promise<readonly string[]>;
}

/** Where something is written; of a long file only what is needed is read. */
export interface WritingPlace {
  /** Its line, up to the place. */
  readonly line: string;
  /** The lines above it, the nearest first. */
  readonly above: Iterable<string>;
  /** The text of the whole file. */
  text(): string;
}

export interface Suggestion {
  readonly label: string;
  /** What is written. */
  readonly text: string;
  readonly detail?: string;
}

export interface Suggested {
  /** What has been typed of the word; the suggestion takes its place. */
  readonly typed: string;
  readonly options: readonly Suggestion[];
}

const PLAIN = /^[\p{L}_][\p{L}\p{N} _./-]*$/u;
/** Words that YAML takes for something else than text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off)$/i;
const TARGET = /(?:^|[\s{,])target:\s*(["']?)([^\s"',}]+)\1/g;

/** A name as YAML takes it for text. */
export const quoted = (name: string): string => (PLAIN.test(name) && !NO_TEXT.test(name) ? name : JSON.stringify(name));

const named = (names: readonly string[], detail?: string): readonly Suggestion[] =>
  [...new Set(names)].map((name) => ({ label: name, text: quoted(name), ...(detail !== undefined && { detail }) }));

function keySuggestions(keys: Keys): readonly Suggestion[] {
  return Object.entries(keys).map(([key, values]) => ({
    label: key,
    text: isKeys(values) ? `${key}:` : `${key}: `,
    ...(Array.isArray(values) && { detail: values.join(', ') }),
  }));
}

/** Suggests columns of the entities that the file joins to. */
async function joinedColumns(text: string, names: KnownNames): Promise<readonly Suggestion[]> {
  const targets = [...new Set([...text.matchAll(TARGET)].map(([, , target = '']) => target))];
  const columns = await Promise.all(targets.map(async (target) => named(await names.columnsOf(target), target)));
  return columns.flat();
}

async function valueSuggestions(
  values: Values,
  where: WritingPlace,
  names: KnownNames,
): Promise<readonly Suggestion[]> {
  if (isKeys(values)) return [];
  if (typeof values !== 'string') return values.map((word) => ({ label: word, text: word }));
  if (values === 'table') return named(names.tables);
  if (values === 'entity') return named(names.entities);
  if (values === 'joinedColumn') return joinedColumns(where.text(), names);
  // Inside an expression there are no quotes of YAML.
  if (values === 'sql') return (await names.columns()).map((column) => ({ label: column, text: column }));
  return values === 'column' ? named(await names.columns()) : [];
}

/** `isAsked`: also where nothing has been typed yet. */
export async function suggestionsAt(
  keys: Keys,
  where: WritingPlace,
  names: KnownNames,
  isAsked: boolean,
): Promise<Suggested | undefined> {
  const place = placeAt(where.line, where.above);
  if (place === undefined) return undefined;
  const values = valuesAt(keys, place.key === undefined ? place.path : [...place.path, place.key]);
  if (values === undefined) return undefined;
  const isKey = place.key === undefined && isKeys(values);
  const options = isKey ? keySuggestions(values) : await valueSuggestions(values, where, names);
  const typed = values === 'sql' ? (/[\w$]*$/.exec(place.typed)?.[0] ?? '') : place.typed;
  const isEnough = isAsked || typed !== '' || (place.key !== undefined && typeof values === 'object');
  return options.length === 0 || !isEnough ? undefined : { typed, options };
}
