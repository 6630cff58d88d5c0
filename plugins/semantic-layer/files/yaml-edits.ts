/** Inserts into the text of a YAML file where it belongs; everything else of the text stays, comments included. */
import { isMap, isSeq, type Node, stringify, type YAMLMap, type YAMLSeq } from 'yaml';

export { parseYaml } from './yaml.ts';

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export const flowText = (value: unknown) =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
export const indented = (text: string, width: number) => text.replace(/^(?=.)/gm, ' '.repeat(width));

const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;

/** The column at which a node begins. */
export function columnOf(text: string, node: Node | undefined): number {
  const start = node?.range?.[0] ?? 0;
  return start - lineStart(text, start);
}

/** The column of the dash of a list's first item. */
export function dashOf(text: string, { items }: YAMLSeq): number {
  const start = (items[0] as Node).range?.[0] ?? 0;
  return Math.max(0, text.slice(lineStart(text, start), start).indexOf('-'));
}

/** The end of the line on which the last thing inside a node ends. */
export function endOf(text: string, node: unknown): number {
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

/** Before the bracket that closes a list or map on one line, and the space before it. */
export function inFlow(text: string, { range, items }: YAMLMap | YAMLSeq, added: string): Insertion {
  const close = (range?.[1] ?? text.length) - 1;
  const at = text.slice(0, close).trimEnd().length;
  return { at, text: items.length > 0 ? `, ${added}` : added };
}

/** A key with its value on one line, before the lists and maps of its map that take several. */
export function pairIn(text: string, map: YAMLMap, key: string, value: unknown): Insertion {
  const pair = `${key}: ${flowText(value)}`;
  if (map.flow === true) return inFlow(text, map, pair);
  const isShort = ({ value: one }: YAMLMap['items'][number]) => (!isMap(one) && !isSeq(one)) || one.flow === true;
  const after = map.items.findLast(isShort) ?? map.items.at(-1);
  const width = columnOf(text, map.items[0]?.key as Node | undefined);
  return { at: endOf(text, after?.value ?? after?.key), text: indented(`${pair}\n`, width) };
}

/** The text with insertions, whose places are those of the text without any. */
export function inserted(text: string, insertions: readonly Insertion[]): string {
  const inOrder = insertions.toSorted((one, other) => other.at - one.at);
  return inOrder.reduce((edited, { at, text: added }) => edited.slice(0, at) + added + edited.slice(at), text);
}
