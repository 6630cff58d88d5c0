/** Parses one file of the layer into checked items and problems. */
import { createHash } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import type { ModelDimension, SemanticProblem } from '../model.ts';
import { CatalogFile, EntityFile, GlossaryTerm, Metric, VerifiedQuery } from '../schema.ts';
import type { FileKind, Place } from './places.ts';
import { checkSchema, isRecord, type SchemaProblem } from './schema-check.ts';
import { type Path, parseYaml } from './yaml.ts';

/** An entity with the defaults of its dimensions filled in. */
export type EntityItem = Omit<EntityFile, 'dimensions'> & { readonly dimensions?: readonly ModelDimension[] };

interface Items {
  readonly catalog: CatalogFile;
  readonly glossary: GlossaryTerm;
  readonly entity: EntityItem;
  readonly metrics: Metric;
  readonly verified: VerifiedQuery;
}

export interface Item<Kind extends FileKind = FileKind> {
  readonly value: Items[Kind];
  /** Where the item stands in its file. */
  readonly path: Path;
}

export interface LayerFile<Kind extends FileKind = FileKind> {
  readonly path: string;
  readonly kind: Kind;
  readonly source: string;
  /** Hash of the content; a file with the same content is not parsed again. */
  readonly hash: string;
  /** An entity or catalog file holds at most one item, the others a list. */
  readonly items: readonly Item<Kind>[];
  readonly problems: readonly SemanticProblem[];
  /** Whether items are left out because the database lacks what they name. */
  readonly isReduced?: boolean;
  /** What the entity says otherwise than the file because it was measured, a line for each. */
  readonly measured?: readonly string[];
}

/** A problem whose line and column in `file` are still to be looked up. */
export interface Finding {
  readonly file: LayerFile;
  readonly path: Path;
  readonly message: string;
}

/** Problems reported of one file. */
export const MAX_PROBLEMS = 50;

const ITEM_SCHEMAS: Readonly<Record<FileKind, TSchema>> = {
  catalog: CatalogFile,
  glossary: GlossaryTerm,
  entity: EntityFile,
  metrics: Metric,
  verified: VerifiedQuery,
};
const EMPTY_FILE: Readonly<Record<FileKind, string>> = {
  catalog: 'The file is empty; a catalog has `name`, `description` and `entities`.',
  glossary: 'The file is empty; a glossary has a list under `terms`.',
  entity: 'The file is empty; an entity needs at least `table`.',
  metrics: 'The file is empty; a metrics file has a list under `metrics`.',
  verified: 'The file is empty; a verified query needs `name`, `question` and `sql` or `plan`.',
};

export function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

/**
 * Parses and checks one file. An entity that does not match its schema is left out whole: a misspelt `hidden` must not
 * show a column. Of a glossary or a list of metrics the items that match are kept.
 */
export function parseLayerFile(found: Place & { readonly path: string }, text: string): LayerFile {
  const { path, kind, source } = found;
  const result = (items: readonly Item[], problems: readonly SemanticProblem[]): LayerFile => ({
    ...{ path, kind, source, hash: hashOf(text), items, problems },
  });
  const yaml = parseYaml(text);
  if (!yaml.ok)
    return result(
      [],
      yaml.problems.map((problem) => ({ file: path, ...problem })),
    );
  if (yaml.value === null) return result([], [{ file: path, line: 1, column: 1, message: EMPTY_FILE[kind] }]);

  const problems: SchemaProblem[] = [];
  const items: Item[] = [];
  for (const item of itemsOf(kind, yaml.value, problems)) {
    const itemProblems = checkSchema(ITEM_SCHEMAS[kind], item.value, item.path);
    problems.push(...itemProblems);
    if (itemProblems.length > 0) continue;
    if (kind === 'entity') fillDefaults(item.value as EntityFile);
    items.push(item as Item);
  }
  const file = result(
    items,
    problems
      .slice(0, MAX_PROBLEMS)
      .map((problem) => ({ file: path, ...yaml.locate(problem.path, problem.at), message: problem.message })),
  );
  return freezeItems(file);
}

/** Makes the items unchangeable, which a copy from a thread is not. */
export function freezeItems(file: LayerFile): LayerFile {
  file.items.forEach(deepFreeze);
  return file;
}

/** Splits a file into its items by shape. */
function itemsOf(kind: FileKind, value: unknown, problems: SchemaProblem[]): { value: unknown; path: Path }[] {
  const list = kind === 'glossary' ? 'terms' : 'metrics';
  const listed = isRecord(value) && Object.hasOwn(value, list);
  if (
    kind === 'catalog' ||
    kind === 'entity' ||
    kind === 'verified' ||
    (kind === 'metrics' && isRecord(value) && !listed)
  ) {
    return [{ value, path: [] }];
  }
  if (!listed) {
    problems.push({ path: [], at: 'value', message: `The file needs a list under \`${list}\`.` });
    return [];
  }
  for (const key of Object.keys(value)) {
    if (key === list) continue;
    const message = `Unknown key \`${key}\`; this file holds one list, under \`${list}\`.`;
    problems.push({ path: [key], at: 'key', message });
  }
  const entries = value[list] ?? [];
  if (!Array.isArray(entries)) {
    const message = `\`${list}\` must be a list (each item on a line that begins with \`-\`).`;
    problems.push({ path: [list], at: 'value', message });
    return [];
  }
  return entries.map((entry, index) => ({ value: entry, path: [list, index] }));
}

function fillDefaults(entity: EntityFile): void {
  for (const dimension of entity.dimensions ?? []) {
    dimension.sql ??= dimension.name;
    dimension.type ??= 'string';
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
