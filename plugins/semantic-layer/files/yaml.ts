/** YAML text to plain values, with the way back from a value to its line and column. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, parseDocument, type YAMLError } from 'yaml';

export type Path = readonly (string | number)[];

/** Counts from 1. */
interface Position {
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
      /** Where the value at `path`, or its key, stands; the nearest enclosing value when `path` leads nowhere. */
      readonly locate: (path: Path, at: 'key' | 'value') => Position;
    }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] };

const options = {
  schema: 'core',
  merge: true,
  stringKeys: true,
  // The library compares every key with every other; `inspect` does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  // Not `silent`, which would let several documents pass.
  logLevel: 'error',
} as const;
/** Aliases in one file, and nodes that each of them may stand for. */
const maxAliases = 1000;
const maxAliasCount = 100;
const maxProblems = 5;

/** Never throws. One document per text; aliases are allowed in numbers that cannot blow up memory. */
export function parseYaml(text: string): YamlResult {
  try {
    const document = parseDocument(text, options);
    const errors = [...document.errors, ...document.warnings];
    const found = errors.map((error) => ({ offset: error.pos[0], message: explain(error) }));
    if (found.length === 0) inspect(document.contents, found);
    if (found.length > 0) return failure(text, found);
    const value: unknown = document.toJS({ maxAliasCount });
    return { ok: true, value, locate: (path, at) => positionAt(text, offsetOf(document, path, at)) };
  } catch (error) {
    // Nesting exhausts the stack; what is left are aliases of aliases.
    const isNesting = error instanceof RangeError;
    const offset = isNesting ? 0 : Math.max(0, text.indexOf('*'));
    return failure(text, [{ offset, message: isNesting ? tooDeep : tooManyAliases }]);
  }
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

const tooDeep = 'The YAML is nested too deeply to be read; flatten it.';
const tooManyAliases = 'The aliases of this file multiply into too much data; write the values out.';

function failure(text: string, found: readonly Found[]): YamlResult {
  const deep = found.find(({ message }) => message === tooDeep);
  const problems = deep === undefined ? found.slice(0, maxProblems) : [deep];
  return { ok: false, problems: problems.map(({ offset, message }) => ({ ...positionAt(text, offset), message })) };
}

/** Finds keys that appear twice, and aliases that are too many or stand for nothing. */
function inspect(root: unknown, found: Found[]): void {
  const anchors = new Set<string>();
  let aliases = 0;
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      const offset = node.range?.[0] ?? 0;
      if (!anchors.has(node.source)) {
        const name = `\`*${node.source}\``;
        found.push({ offset, message: `${name} is an alias of nothing; put a text that begins with \`*\` in quotes.` });
      }
      aliases++;
      if (aliases === maxAliases) found.push({ offset, message: tooManyAliases });
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
  if (error.message.includes('call stack')) return tooDeep;
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'YAML does not allow tabs as indentation; use spaces.';
    case 'MULTIPLE_DOCS':
      return 'The file holds several YAML documents (`---`); keep one and move the others to files of their own.';
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
