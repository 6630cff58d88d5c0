/**
 * Writes proposals into the texts of YAML files. New lines are inserted where they belong and all others stay, comments
 * included; a text in which that does not work is written anew by the library, which keeps comments too.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq, type Node, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Proposal } from './proposal.ts';

const PARSE = { uniqueKeys: false, logLevel: 'error' } as const;

/** What is added to which list of which map. */
interface Addition {
  readonly map: YAMLMap;
  readonly list: string;
  readonly value: unknown;
}

function memberNamed(root: YAMLMap, list: string, name: string): YAMLMap | undefined {
  const members = root.get(list);
  const found = isSeq(members) ? members.items.find((item) => isMap(item) && item.get('name') === name) : undefined;
  return isMap(found) ? found : undefined;
}

function additionOf(root: YAMLMap, proposal: Proposal): Addition | undefined {
  if (proposal.kind === 'join') {
    const { on, ...join } = proposal.value;
    return { map: root, list: 'joins', value: { ...join, on: on.length === 1 ? on[0] : on } };
  }
  if (proposal.kind === 'measure') return { map: root, list: 'measures', value: proposal.value };
  if (proposal.kind === 'pattern') return { map: root, list: 'query_patterns', value: proposal.value };
  const { member, value } = proposal;
  const map = member === null ? root : memberNamed(root, member.list, member.name);
  return map && { map, list: 'synonyms', value };
}

/** By the library: the text may be written in another style afterwards. */
function add(document: Document, { map, list, value }: Addition): void {
  const found = map.get(list);
  if (isSeq(found)) found.add(document.createNode(value));
  else map.set(list, document.createNode([value], { flow: typeof value === 'string' }));
}

const flowText = (value: unknown) =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
const indented = (text: string, width: number) => text.replace(/^(?=.)/gm, ' '.repeat(width));
const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;

/** The end of the line on which the last thing inside a node ends. */
function endOf(text: string, node: unknown): number {
  if (isMap(node) && node.flow !== true && node.items.length > 0) {
    const { key, value } = node.items.at(-1) ?? {};
    return endOf(text, value ?? key);
  }
  if (isSeq(node) && node.flow !== true && node.items.length > 0) return endOf(text, node.items.at(-1));
  const end = (node as Node).range?.[1] ?? text.length;
  if (end > 0 && text[end - 1] === '\n') return end;
  const newline = text.indexOf('\n', end);
  return newline < 0 ? text.length : newline + 1;
}

const insert = (text: string, at: number, added: string) => text.slice(0, at) + added + text.slice(at);

/** Before the bracket that closes a list or map on one line, and the space before it. */
function insertInFlow(text: string, { range, items }: YAMLMap | YAMLSeq, added: string): string {
  const close = (range?.[1] ?? text.length) - 1;
  const at = text.slice(0, close).trimEnd().length;
  return insert(text, at, items.length > 0 ? `, ${added}` : added);
}

function insertItem(text: string, list: YAMLSeq, value: unknown): string {
  if (list.flow === true) return insertInFlow(text, list, flowText(value));
  const start = (list.items[0] as Node).range?.[0] ?? 0;
  const dash = text.slice(lineStart(text, start), start).indexOf('-');
  return insert(text, endOf(text, list), indented(stringify([value], { lineWidth: 0 }), Math.max(0, dash)));
}

/** A new list, at the end of the map. */
function insertList(text: string, { map, list, value }: Addition): string {
  if (map.flow === true) return insertInFlow(text, map, `${list}: ${flowText([value])}`);
  const first = map.items[0]?.key as Node | undefined;
  const start = first?.range?.[0] ?? 0;
  const width = start - lineStart(text, start);
  const isShort = typeof value === 'string';
  // Lists of this file may begin where their key does.
  const inside = /^[\w"'-]+:[^\n]*\n- /m.test(text) ? 0 : 2;
  const added = isShort
    ? `${list}: ${flowText([value])}\n`
    : `${list}:\n${indented(stringify([value], { lineWidth: 0 }), inside)}`;
  const after = isShort
    ? map.items.findLast(({ value: one }) => (!isMap(one) && !isSeq(one)) || one.flow === true)
    : map.items.at(-1);
  return insert(text, endOf(text, after?.value ?? after?.key), indented(added, width));
}

function edited(text: string, proposal: Proposal): string {
  const document = parseDocument(text, PARSE);
  const { contents } = document;
  const addition =
    document.errors.length === 0 && isMap(contents) ? additionOf(contents as YAMLMap, proposal) : undefined;
  if (addition === undefined) return text;
  const list = addition.map.get(addition.list);
  const isFilled = isSeq(list) && (list.items.length > 0 || list.flow === true);
  const inserted = isFilled ? insertItem(text, list, addition.value) : insertList(text, addition);
  add(document, addition);
  const check = parseDocument(inserted, PARSE);
  if (check.errors.length === 0 && isDeepStrictEqual(check.toJS(), document.toJS())) return inserted;
  return document.toString({ lineWidth: 0 });
}

/** The text of an entity file with the proposals in it; the text itself where it is not one that can be changed. */
export function editedText(text: string, proposals: readonly Proposal[]): string {
  const isWindows = text.includes('\r\n');
  const lines = isWindows ? text.replaceAll('\r\n', '\n') : text;
  const whole = lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
  const after = proposals.reduce(edited, whole);
  if (after === whole) return text;
  return isWindows ? after.replaceAll('\n', '\r\n') : after;
}
