/** Writes the files of a generated layer: merges each with the file that is there, and leaves deleted ones out. */
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../../kernel/index.ts';
import { wrong } from '../profile/errors.ts';
import { withPresentMembers } from './member-references.ts';
import { type Content, mergeFile } from './merge.ts';
import { splitRecord } from './written-record.ts';

/** A file of the layer after merging. */
export interface MergedFile {
  readonly path: string;
  /** `kept`: it could not be merged; `deleted`: a person removed it, and it stays so. */
  readonly state: 'written' | 'unchanged' | 'kept' | 'deleted';
  readonly text: string;
  /** Why it was kept. */
  readonly reason?: string;
  readonly isNew: boolean;
  /** Parts that were added, such as `dimensions/total`. */
  readonly added: readonly string[];
}

export interface MergeOptions {
  /** Files that are written although a person has deleted them, because their tables were asked for by name. */
  readonly wanted?: ReadonlySet<string>;
  /** Parts that do not follow the database: items, and keys as `path/key`. */
  readonly said?: ReadonlySet<unknown>;
  /** The files as the database alone makes them, where `files` says more. */
  readonly base?: ReadonlyMap<string, Content>;
}

/** Which files of this folder `init` has written is remembered in the comment of the catalog. */
const CATALOG = 'catalog.yml';
const FILES = 'files';

/** Merges `files`, by path relative to `dir`, with those of the folder. Writes nothing. */
export function mergeLayer(
  dir: string,
  files: ReadonlyMap<string, Content>,
  { wanted = new Set(), said = new Set(), base = files }: MergeOptions = {},
): MergedFile[] {
  const known = writtenFiles(dir);
  const paths = [...files.keys()];
  const changed = new Set(said);
  const isOwn = (path: string) => (key: string, item?: unknown) => !changed.has(item ?? `${path}/${key}`);
  const isDeleted = (path: string) => known.has(path) && !wanted.has(path) && existing(join(dir, path)) === undefined;
  const merge = (path: string, content: Content): MergedFile => {
    const before = existing(join(dir, path));
    const isNew = before === undefined;
    if (isNew && isDeleted(path)) return { path, state: 'deleted', text: '', isNew, added: [] };
    const { text: merged, added, refusal } = mergeFile(before, content, isOwn(path));
    if (refusal !== undefined) return { path, state: 'kept', text: merged, reason: refusal, isNew, added };
    const text = path === CATALOG ? withFiles(merged, paths) : merged;
    return { path, state: text === before ? 'unchanged' : 'written', text, isNew, added };
  };
  const isEntity = (path: string) => path.startsWith('entities/');
  const deleted = new Set(
    [...files].filter(([path]) => isEntity(path) && isDeleted(path)).map(([, { name, table }]) => name ?? table),
  );
  const entities = [...files]
    .filter(([path]) => isEntity(path))
    .map(([path, content]) => {
      const joins = (content.joins ?? []) as readonly { readonly target: string }[];
      const isLeft = joins.every(({ target }) => !deleted.has(target));
      return merge(path, isLeft ? content : { ...content, joins: joins.filter(({ target }) => !deleted.has(target)) });
    });
  const merged = entities
    .filter(({ state }) => state === 'written' || state === 'unchanged')
    .map(({ path, text }) => ({ generated: base.get(path) ?? {}, text }));
  // Metrics and terms come after the entities that they refer to.
  const others = [...files].flatMap(([path, content]) => {
    if (isEntity(path)) return [];
    const present = withPresentMembers(content, merged, deleted, changed);
    const isEmpty = Object.values(present).every((value) => Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [merge(path, present)];
  });
  return [...entities, ...others];
}

/** The other files of the folder in which things have names, as they are. */
export function otherFiles(dir: string, files: readonly MergedFile[]): MergedFile[] {
  const known = new Set(files.map(({ path }) => path));
  const paths = globSync(['{entities,metrics}/*.{yml,yaml}', 'glossary.{yml,yaml}'], { cwd: dir }).sort();
  return paths
    .filter((path) => !known.has(path))
    .map((path) => ({ path, state: 'unchanged', text: existing(join(dir, path)) ?? '', isNew: false, added: [] }));
}

const WRITE_FAULTS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file is where a folder must be',
  EEXIST: 'a file is where a folder must be',
  EISDIR: 'a folder is where a file must be',
  ENOSPC: 'the disk is full',
  EROFS: 'its file system is read-only',
  EACCES: 'its permissions forbid it',
  EPERM: 'its permissions forbid it',
};

/** The files that `init` has written into the folder at any time, by path. */
export const writtenFiles = (dir: string): ReadonlySet<string> =>
  new Set(splitRecord(existing(join(dir, CATALOG)) ?? '').record.names(FILES));

/** Writes what is new or changed. Throws one sentence, with the folder as `shown`, when it cannot. */
export function writeMerged(dir: string, shown: string, files: readonly MergedFile[]): void {
  try {
    // The catalog comes last: what it remembers has been written.
    for (const { path, state, text } of [...files].sort(
      (a, b) => Number(a.path === CATALOG) - Number(b.path === CATALOG),
    )) {
      if (state === 'written') replaceFile(join(dir, path), text);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const fault = WRITE_FAULTS[code] ?? messageOf(error);
    throw wrong(`The layer cannot be written to ${shown}: ${fault}.`, 'Choose another folder with SVC_SEMANTIC_DIR.');
  }
}

/** The text of a catalog that also remembers the other files. */
function withFiles(text: string, paths: readonly string[]): string {
  const { body, record } = splitRecord(text);
  for (const path of paths) if (path !== CATALOG) record.set(FILES, path, '');
  return `${body}${record}`;
}

/** Written beside it and renamed, so that a running server never reads half a file. */
function replaceFile(target: string, text: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const temporary = `${target}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function existing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Where a folder cannot be, writing says so.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw wrong(`${path} cannot be read: ${WRITE_FAULTS[code] ?? 'its permissions forbid it'}.`, 'Move it away.');
  }
}

/** An entity file that is there already. */
export interface ExistingEntity {
  readonly path: string;
  readonly table: string;
  readonly schema: string | undefined;
  /** In joins, metrics and questions. */
  readonly name: string;
  /** Columns of its dimensions that compute nothing. */
  readonly columns: readonly string[];
}

/** The entity files of a folder, except those that cannot be read. */
export function existingEntities(dir: string): ExistingEntity[] {
  return globSync('entities/*.{yml,yaml}', { cwd: dir })
    .sort()
    .flatMap((path) => {
      try {
        return entityIn(
          path,
          parse(readFileSync(join(dir, path), 'utf8'), { uniqueKeys: false, merge: true, logLevel: 'silent' }),
        );
      } catch {
        return [];
      }
    });
}

function entityIn(path: string, value: unknown): ExistingEntity[] {
  const { table, schema, name, dimensions = [] } = (value ?? {}) as Record<string, unknown>;
  if (typeof table !== 'string') return [];
  const [own = '', inSchema] = table.split('.').reverse();
  const columns = (Array.isArray(dimensions) ? dimensions : []).flatMap((dimension) => {
    const { name: called, sql = called } = (dimension ?? {}) as Record<string, unknown>;
    const [, column] = /^["`[]?([\p{L}\p{N}_$ -]+)["`\]]?$/u.exec(String(sql ?? '')) ?? [];
    return column === undefined ? [] : [column];
  });
  return [
    {
      path,
      table: own,
      schema: typeof schema === 'string' ? schema : inSchema,
      name: typeof name === 'string' ? name : own,
      columns,
    },
  ];
}
