/**
 * Writes proposals into the texts of YAML files. New lines are inserted where they belong and all others stay, comments
 * included; a text in which that does not work is written anew by the library, which keeps comments too.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq, type Node, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import {
  columnOf,
  dashOf,
  endOf,
  flowText,
  type Insertion,
  indented,
  inFlow,
  inserted,
  pairIn,
} from '../semantic-layer/index.ts';
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
  if (proposal.kind === 'wording') return { map: root, list: 'also', value: proposal.value };
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

function itemIn(text: string, list: YAMLSeq, value: unknown): Insertion {
  if (list.flow === true) return inFlow(text, list, flowText(value));
  return { at: endOf(text, list), text: indented(stringify([value], { lineWidth: 0 }), dashOf(text, list)) };
}

/** A new list, at the end of the map. */
function listIn(text: string, { map, list, value }: Addition): Insertion {
  if (map.flow === true || typeof value === 'string') return pairIn(text, map, list, [value]);
  // Lists of this file may begin where their key does.
  const inside = /^[\w"'-]+:[^\n]*\n- /m.test(text) ? 0 : 2;
  const added = `${list}:\n${indented(stringify([value], { lineWidth: 0 }), inside)}`;
  const last = map.items.at(-1);
  const width = columnOf(text, map.items[0]?.key as Node | undefined);
  return { at: endOf(text, last?.value ?? last?.key), text: indented(added, width) };
}

function edited(text: string, proposal: Proposal): string {
  const document = parseDocument(text, PARSE);
  const { contents } = document;
  const addition =
    document.errors.length === 0 && isMap(contents) ? additionOf(contents as YAMLMap, proposal) : undefined;
  if (addition === undefined) return text;
  const list = addition.map.get(addition.list);
  const isFilled = isSeq(list) && (list.items.length > 0 || list.flow === true);
  const insertion = isFilled ? itemIn(text, list, addition.value) : listIn(text, addition);
  const after = inserted(text, [insertion]);
  add(document, addition);
  const check = parseDocument(after, PARSE);
  if (check.errors.length === 0 && isDeepStrictEqual(check.toJS(), document.toJS())) return after;
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
