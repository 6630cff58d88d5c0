/** Parses YAML to plain values and finds the line and column of a value. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, parseDocument, type YAMLError } from 'yaml';

export type Path = readonly (string | number)[];

/** Counts from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface YamlProblem extends Position {
  readonly message: string;
}

export type YamlResult =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Position of the value at `path` or of its key; of the nearest enclosing value when there is none. */
      readonly locate: (path: Path, at: 'key' | 'value') => Position;
    }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] };

const YAML_OPTIONS = {
  schema: 'core',
  merge: true,
  stringKeys: true,
  // The library takes quadratic time to find duplicate keys; `inspect` takes linear time.
  uniqueKeys: false,
  prettyErrors: false,
  // Not `silent`, which would accept several documents.
  logLevel: 'error',
} as const;
/** Aliases in one file, and nodes that each of them may expand to. */
const MAX_ALIASES = 1000;
const MAX_NODES_PER_ALIAS = 100;
const MAX_PROBLEMS = 5;

/** Parses one document. Never throws; limits aliases so that they cannot exhaust memory. */
export function parseYaml(text: string): YamlResult {
  try {
    const document = parseDocument(text, YAML_OPTIONS);
    const errors = [...document.errors, ...document.warnings];
    const found = errors.map((error) => ({ offset: error.pos[0], message: explain(error) }));
    if (found.length === 0) inspect(document.contents, found);
    if (found.length > 0) return failure(text, found);
    const value: unknown = document.toJS({ maxAliasCount: MAX_NODES_PER_ALIAS });
    return { ok: true, value, locate: (path, at) => positionAt(text, offsetOf(document, path, at)) };
  } catch (error) {
    // A RangeError is an exhausted stack; the only other error is too many nodes from aliases.
    const isNesting = error instanceof RangeError;
    const offset = isNesting ? 0 : Math.max(0, text.indexOf('*'));
    return failure(text, [{ offset, message: isNesting ? TOO_DEEP : TOO_MANY_ALIASES }]);
  }
}

/** Where the values at `paths` stand, or the nearest ones around them. */
export function positionsOf(text: string, paths: readonly Path[]): Position[] {
  const yaml = parseYaml(text);
  return paths.map((path) => (yaml.ok ? yaml.locate(path, 'value') : { line: 1, column: 1 }));
}

/** Adds `connection` to an entity that names none; everything else of the text stays, comments included. */
export function withConnection(text: string, connection: string): string {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  if (document.errors.length > 0 || !isMap(document.contents) || document.get('connection') != null) return text;
  document.set('connection', connection);
  return document.toString({ lineWidth: 0 });
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

const TOO_DEEP = 'The YAML is nested too deeply to be read; flatten it.';
const TOO_MANY_ALIASES = 'The aliases of this file multiply into too much data; write the values out.';

function failure(text: string, found: readonly Found[]): YamlResult {
  const deep = found.find(({ message }) => message === TOO_DEEP);
  const problems = deep === undefined ? found.slice(0, MAX_PROBLEMS) : [deep];
  return { ok: false, problems: problems.map(({ offset, message }) => ({ ...positionAt(text, offset), message })) };
}

/** Finds duplicate keys, too many aliases and aliases without an anchor. */
function inspect(root: unknown, found: Found[]): void {
  const anchors = new Set<string>();
  let aliases = 0;
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      const offset = node.range?.[0] ?? 0;
      if (!anchors.has(node.source)) {
        const name = `\`*${node.source}\``;
        found.push({
          offset,
          message: `${name} is an alias without an anchor; put a text that begins with \`*\` in quotes.`,
        });
      }
      aliases++;
      if (aliases === MAX_ALIASES) found.push({ offset, message: TOO_MANY_ALIASES });
      return;
    }
    if (isNode(node) && node.anchor !== undefined) anchors.add(node.anchor);
    if (isSeq(node)) node.items.forEach(visit);
    if (!isMap(node)) return;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isScalar(key) && key.value !== '<<') {
        const message = `The key \`${key.value}\` appears twice in the same place; keep one of the two.`;
        if (keys.has(key.value)) found.push({ offset: key.range?.[0] ?? 0, message });
        keys.add(key.value);
      }
      visit(value);
    }
  };
  visit(root);
}

function explain(error: YAMLError): string {
  if (error.message.includes('call stack')) return TOO_DEEP;
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'YAML does not allow tabs for indentation; use spaces.';
    case 'MULTIPLE_DOCS':
      return 'The file contains several YAML documents (`---`); keep one and move the others to separate files.';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'A text with a colon in it, or a key in the wrong place: put the text in quotes or start a new line.';
    case 'TAG_RESOLVE_FAILED':
      return 'YAML tags (`!…`) are not supported here; remove the tag.';
    default:
      return `This is not valid YAML: ${withoutFinalStop(error.message)}.`;
  }
}

function withoutFinalStop(message: string): string {
  return message.split('\n', 1)[0]!.replace(/[.:]\s*$/, '');
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, Math.min(offset, text.length));
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}

function offsetOf(document: Document, path: Path, at: 'key' | 'value'): number {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    const target: Node | null | undefined = isAlias(node) ? node.resolve(document) : node;
    let next: unknown;
    if (isMap(target)) {
      const pair = target.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) break;
      const key = pair.key as Node;
      offset = key.range?.[0] ?? offset;
      if (at === 'key' && depth === path.length - 1) break;
      next = pair.value;
    } else if (isSeq(target)) {
      next = target.items[Number(step)];
    }
    node = (next ?? null) as Node | null;
    if (node === null) break;
    offset = node.range?.[0] ?? offset;
  }
  return offset;
}
