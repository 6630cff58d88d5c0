/**
 * Merges what `init` has found into a file of a layer. What a person wrote, order and comments included, keeps its bytes:
 * new parts are inserted into the text, and only parts that are still as `init` wrote them are replaced.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { partHash, splitRecord, WrittenRecord } from './written-record.ts';

type Item = Readonly<Record<string, unknown>>;

/** The content of a file, by key; lists of maps are merged item by item. */
export type Content = Readonly<Record<string, unknown>>;

export interface Merged {
  readonly text: string;
  /** What was inserted, such as `dimensions/total`. */
  readonly added: readonly string[];
  /** Why nothing could be merged; the text is as it was. */
  readonly refusal?: string;
}

const HEADER =
  '# Written by atlas init. Yours to change: init adds what is new in the database, and leaves what you changed.\n';
const STRINGIFY = { lineWidth: 120 } as const;
const PARSE = {
  schema: 'core',
  merge: true,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: true,
  logLevel: 'error',
} as const;
/** Group of the keys at the root of a file. */
const KEYS = 'keys';

const isRecord = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isItems = (value: unknown): value is readonly Item[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

const bare = (sql: unknown) =>
  String(sql ?? '')
    .replace(/^\{(.*)\}$|^"(.*)"$|^`(.*)`$|^\[(.*)\]$/s, '$1$2$3$4')
    .toLowerCase();
const columnOf = ({ name, sql }: Item) => bare(sql ?? name);
const pairsOf = ({ on }: Item) => (Array.isArray(on) ? on : [on]);

/** The name of an item in its list, and whether two items stand for the same thing under different names. */
const LISTS: Readonly<Record<string, { name(item: Item): unknown; isSame?(one: Item, other: Item): boolean }>> = {
  dimensions: { name: ({ name }) => name, isSame: (one, other) => columnOf(one) === columnOf(other) },
  measures: {
    name: ({ name }) => name,
    isSame: (one, other) => one.type === other.type && bare(one.sql) === bare(other.sql),
  },
  joins: {
    name: ({ name, target }) => name ?? target,
    isSame: (one, other) => one.target === other.target && isDeepStrictEqual(pairsOf(one), pairsOf(other)),
  },
  query_patterns: { name: ({ description }) => description },
  metrics: { name: ({ id }) => id },
  terms: { name: ({ term }) => term },
};
const NAMED = { name: ({ name }: Item) => name };

const nameOf = (list: string, item: Item) => String((LISTS[list] ?? NAMED).name(item) ?? '');

/** Whether two items of a list have one name, or stand for the same thing under different names. */
export function isSameItem(list: string, one: Item, other: Item): boolean {
  if (nameOf(list, one).toLowerCase() === nameOf(list, other).toLowerCase()) return true;
  return LISTS[list]?.isSame?.(one, other) === true;
}

const itemText = (item: Item) => stringify([item], STRINGIFY);
const indented = (text: string, width: number) => text.replace(/^(?=.)/gm, ' '.repeat(width));
const listText = (key: string, items: readonly Item[]) => `${key}:\n${indented(items.map(itemText).join(''), 2)}`;
const keyText = (key: string, value: unknown) => stringify({ [key]: value }, STRINGIFY);

/** A new file. `isOwn` tells which parts may be replaced later: those with nothing in them that a person said. */
function fresh(content: Content, isOwn: IsOwn): Merged {
  const record = new WrittenRecord();
  const added: string[] = [];
  let text = HEADER;
  for (const [key, value] of Object.entries(content)) {
    if (isItems(value)) {
      text += listText(key, value);
      for (const item of value) {
        const name = nameOf(key, item);
        record.set(key, name, isOwn(key, item) ? partHash(itemText(item)) : '');
        added.push(`${key}/${name}`);
      }
    } else if (value !== undefined && !isEmpty(value)) {
      text += keyText(key, value);
      record.set(KEYS, key, isOwn(key) ? partHash(keyText(key, value)) : '');
    }
  }
  return { text: text + record, added };
}

/** Whether an item of a list such as `dimensions` is still as `init` wrote it. */
export const isAsWritten = (record: WrittenRecord, list: string, item: Item): boolean =>
  record.get(list, nameOf(list, item)) === partHash(itemText(item));

/** The same for a key at the root of a file. */
export const isKeyAsWritten = (record: WrittenRecord, key: string, value: unknown): boolean =>
  record.get(KEYS, key) === partHash(keyText(key, value));

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Whether a part is as the database has it, so that it may follow the database as long as nobody changes it. */
export type IsOwn = (key: string, item?: Item) => boolean;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** A new key of the root comes after the items that the list before it gets in the same place. */
  readonly isKey?: boolean;
}

/** `before`: the file as it is; `undefined`: there is none. */
export function mergeFile(before: string | undefined, content: Content, isOwn: IsOwn = () => true): Merged {
  if (before === undefined) return fresh(content, isOwn);
  const { body: text, record } = splitRecord(before);
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const refuse = (refusal: string): Merged => ({ text: before, added: [], refusal });
  const document = parseDocument(body, PARSE);
  if (document.errors.length > 0) return refuse('it is not valid YAML');
  const root = document.contents;
  if (root === null) return isBlank(body) ? fresh(content, isOwn) : refuse('it holds comments only');
  if (!isMap(root) || root.flow === true || root.items.length === 0)
    return refuse('it is not a map of keys and values');
  try {
    const wanted = document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
    const file = new FileEdits(body, root, wanted, record, isOwn);
    for (const [key, value] of Object.entries(content)) {
      if (isItems(value)) file.mergeList(key, value);
      else if (value !== undefined && !isEmpty(value)) file.mergeKey(key, value);
    }
    if (file.isUntouched) return { text: before, added: [] };
    const merged = file.text();
    const check = parseDocument(merged, PARSE);
    if (check.errors.length > 0 || !isDeepStrictEqual(check.toJS({ maxAliasCount: 100 }), wanted))
      return refuse('its YAML is written in a way that cannot be added to');
    return { text: `${merged}${record}`, added: file.added };
  } catch {
    return refuse('its aliases are too many, or its shape is not that of a layer');
  }
}

const isBlank = (text: string) => text.trim() === '';

/** Collects the changes of one file, in its text and in the value that the text must have afterwards. */
class FileEdits {
  readonly added: string[] = [];
  readonly #edits: Edit[] = [];
  readonly #body: string;
  readonly #root: YAMLMap;
  readonly #wanted: Record<string, unknown>;
  readonly #record: WrittenRecord;
  readonly #isOwn: IsOwn;
  /** Where the next key without a place is inserted. */
  #next: number;

  constructor(body: string, root: YAMLMap, wanted: Record<string, unknown>, record: WrittenRecord, isOwn: IsOwn) {
    this.#body = body;
    this.#root = root;
    this.#wanted = wanted;
    this.#record = record;
    this.#isOwn = isOwn;
    this.#next = this.#lineStart((root.items[0]?.key as Node | undefined)?.range?.[0] ?? 0);
  }

  get isUntouched(): boolean {
    return this.#edits.length === 0;
  }

  mergeKey(key: string, value: unknown): void {
    const recorded = this.#record.get(KEYS, key);
    const text = keyText(key, value);
    const pair = this.#pair(key);
    const hash = this.#isOwn(key) ? partHash(text) : '';
    if (pair === undefined) {
      if (recorded !== undefined || key in this.#wanted) return;
      this.#insert(this.#next, text, true);
      this.#wanted[key] = value;
      this.added.push(key);
    } else {
      const from = this.#lineStart((pair.key as Node).range?.[0] ?? 0);
      const to = this.#endOf((pair.value ?? pair.key) as Node, 0);
      this.#next = to;
      if (!this.#isAsWritten(recorded, this.#body.slice(from, to))) {
        this.#note(KEYS, key, recorded);
        return;
      }
      if (recorded !== partHash(text)) this.#replace(from, to, text);
      this.#wanted[key] = value;
    }
    this.#record.set(KEYS, key, hash);
  }

  mergeList(key: string, items: readonly Item[]): void {
    const found = this.#wanted[key] ?? [];
    if (!Array.isArray(found)) return;
    const wanted = [...found];
    const others: Item[] = [];
    for (const item of items) {
      const name = nameOf(key, item);
      const index = found.findIndex((other) => isRecord(other) && nameOf(key, other) === name);
      if (index < 0) others.push(item);
      else if (this.#replaceItem(key, index, item, this.#record.get(key, name))) wanted[index] = item;
    }
    const missing: Item[] = [];
    for (const item of others) {
      const name = nameOf(key, item);
      const recorded = this.#record.get(key, name);
      if (wanted.some((other) => isRecord(other) && isSameItem(key, item, other))) this.#note(key, name, recorded);
      else if (recorded === undefined) missing.push(item);
    }
    if (missing.length > 0 && this.#append(key, missing)) {
      wanted.push(...missing);
      for (const item of missing) {
        this.added.push(`${key}/${nameOf(key, item)}`);
        this.#record.set(key, nameOf(key, item), this.#isOwn(key, item) ? partHash(itemText(item)) : '');
      }
    }
    if (wanted.length > 0) this.#wanted[key] = wanted;
  }

  /** The text with all changes. */
  text(): string {
    const isWindows = this.#body.includes('\r\n');
    let text = this.#body;
    const inOrder = this.#edits.map((edit, index) => ({ ...edit, index }));
    inOrder.sort((a, b) => b.from - a.from || Number(b.isKey === true) - Number(a.isKey === true) || b.index - a.index);
    for (const { from, to, text: inserted } of inOrder) {
      text = text.slice(0, from) + (isWindows ? inserted.replaceAll('\n', '\r\n') : inserted) + text.slice(to);
    }
    return text;
  }

  #pair(key: string): Pair | undefined {
    return this.#root.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  }

  /** Remembers a part that a person wrote: when they delete it, it does not come back. */
  #note(group: string, name: string, recorded: string | undefined): void {
    this.#record.set(group, name, recorded ?? '');
  }

  #isAsWritten(recorded: string | undefined, text: string): boolean {
    return recorded !== undefined && recorded !== '' && recorded === partHash(text);
  }

  #replaceItem(key: string, index: number, item: Item, recorded: string | undefined): boolean {
    const name = nameOf(key, item);
    const list = this.#pair(key)?.value;
    const place = isSeq(list) && list.flow !== true ? this.#place(list, index) : undefined;
    const text = place && dedented(this.#body.slice(place.from, place.to), place.indent);
    if (place === undefined || text === undefined || !this.#isAsWritten(recorded, text)) {
      this.#note(key, name, recorded);
      return false;
    }
    if (recorded !== partHash(itemText(item)))
      this.#replace(place.from, place.to, indented(itemText(item), place.indent));
    this.#record.set(key, name, this.#isOwn(key, item) ? partHash(itemText(item)) : '');
    return true;
  }

  /** Lines of an item of a block list, and the column of its `-`. */
  #place(list: YAMLSeq, index: number) {
    const node = list.items[index] as Node | undefined;
    const token = list.srcToken;
    if (node === undefined || token?.type !== 'block-seq') return undefined;
    const dash = token.items[index]?.start.find(({ type }) => type === 'seq-item-ind')?.offset;
    if (dash === undefined) return undefined;
    const from = this.#lineStart(dash);
    const indent = dash - from;
    return { from, to: this.#endOf(node, indent), indent };
  }

  #append(key: string, items: readonly Item[]): boolean {
    const pair = this.#pair(key);
    const list = pair?.value;
    if (pair === undefined) {
      if (key in this.#wanted) return false;
      const last = this.#root.items.at(-1);
      this.#insert(this.#endOf((last?.value ?? last?.key) as Node, 0), listText(key, items), true);
      return true;
    }
    const isNothing = list === null || (isScalar(list) && list.value === null);
    if (isNothing || (isSeq(list) && list.items.length === 0)) {
      const [from, to] = (list as Node | null)?.range ?? [0, 0];
      if (to > from) this.#replace(from, to, '');
      const key = pair.key as Node;
      this.#insert(this.#lineEnd(Math.max(to, key.range?.[1] ?? 0)), indented(items.map(itemText).join(''), 2));
      return true;
    }
    if (!isSeq(list)) return false;
    if (list.flow === true) {
      const end = (list.items.at(-1) as Node | undefined)?.range?.[1];
      if (end === undefined) return false;
      this.#insert(end, items.map((item) => `, ${JSON.stringify(item)}`).join(''));
      return true;
    }
    const place = this.#place(list, list.items.length - 1);
    if (place === undefined) return false;
    this.#insert(place.to, indented(items.map(itemText).join(''), place.indent));
    return true;
  }

  #insert(at: number, text: string, isKey = false): void {
    this.#edits.push({ from: at, to: at, text, isKey });
  }

  #replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text });
  }

  #lineStart(offset: number): number {
    return this.#body.lastIndexOf('\n', offset - 1) + 1;
  }

  #lineEnd(offset: number): number {
    const end = this.#body.indexOf('\n', offset);
    return end < 0 ? this.#body.length : end + 1;
  }

  /** The end of the last line of a value, with the comments below it that are indented deeper than `indent`. */
  #endOf(node: Node, indent: number): number {
    const offset = leafEnd(node);
    let end = offset > 0 && this.#body[offset - 1] === '\n' ? offset : this.#lineEnd(offset);
    for (;;) {
      const next = this.#lineEnd(end);
      const [, space] = /^( *)#/.exec(this.#body.slice(end, next)) ?? [];
      if (space === undefined || space.length <= indent) return end;
      end = next;
    }
  }
}

/** The end of the last scalar in a value: a collection's own range includes what follows it. */
function leafEnd(node: Node): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0) {
    const last: unknown = node.items.at(-1);
    if (isMap(node)) {
      const { key, value } = last as Pair;
      return leafEnd((value ?? key) as Node);
    }
    return leafEnd(last as Node);
  }
  return node.range?.[1] ?? 0;
}

const dedented = (text: string, width: number) =>
  text.replace(new RegExp(`^ {1,${Math.max(1, width)}}`, 'gm'), (space) => (width === 0 ? space : ''));
