/** Describes a drawing as a tree of few elements of SVG, and writes it as text. Pages make their elements of the same tree. */

export type SvgName = 'svg' | 'title' | 'desc' | 'g' | 'rect' | 'circle' | 'line' | 'path' | 'text';

export interface SvgElement {
  readonly name: SvgName;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly SvgElement[];
  /** Instead of children. */
  readonly text?: string;
}

type Attributes = SvgElement['attributes'];

export const element = (name: SvgName, attributes: Attributes, children: readonly SvgElement[] = []): SvgElement => ({
  name,
  attributes,
  children,
});

export const textElement = (
  name: 'title' | 'desc' | 'text',
  text: string,
  attributes: Attributes = {},
): SvgElement => ({
  name,
  attributes,
  children: [],
  text,
});

/** Coordinates to a hundredth: more digits are seen by nobody. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** XML has no place for them, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

export function svgText({ name, attributes, children, text = '' }: SvgElement): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join('')}>${escaped(text)}${children.map(svgText).join('')}</${name}>`;
}
