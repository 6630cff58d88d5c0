/** Holds colours, sizes and texts of charts as they are drawn. */
import { element, rounded, type SvgElement, textElement } from './svg.ts';

/** Each stands out by 3 : 1 from the light and the dark background. */
export const PALETTE = ['#3b7ddd', '#c9690b', '#2b9557', '#9b5de5', '#e0475b', '#158b98', '#a9745b', '#d0569f'];
const INK = '#1a2230';
const MUTED = '#55606f';
const LINE = '#d5dbe3';
const FONT = 'system-ui, sans-serif';
export const FONT_SIZE = 12;

export const colourOf = (index: number): string => PALETTE[Math.max(0, index) % PALETTE.length] ?? INK;

/** About the width in pixels: there are no fonts to measure with. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    const isWide = (character.codePointAt(0) ?? 0) >= 0x1100;
    width += isWide ? 1 : /[A-ZMW@%mw—]/.test(character) ? 0.72 : /[ijlft.,:;'|()I ]/.test(character) ? 0.34 : 0.57;
  }
  return width * FONT_SIZE;
}

/** The text, with its end left out where it is wider. */
export function fitted(text: string, pixels: number): string {
  if (textWidth(text) <= pixels) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join('')}…`) > pixels) characters.pop();
  return `${characters.join('')}…`;
}

export interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** `title`: in full colour. */
  readonly kind?: 'label' | 'title';
}

export function textAt(text: string, { x, y, anchor = 'start', kind = 'label' }: TextPlace): SvgElement {
  return textElement('text', text, {
    class: `chart-${kind}`,
    x: rounded(x),
    y: rounded(y),
    'text-anchor': anchor,
    'font-family': FONT,
    'font-size': FONT_SIZE,
    fill: kind === 'title' ? INK : MUTED,
  });
}

export function gridLine(x1: number, y1: number, x2: number, y2: number): SvgElement {
  const [from, to] = [
    { x1: rounded(x1), y1: rounded(y1) },
    { x2: rounded(x2), y2: rounded(y2) },
  ];
  return element('line', { class: 'chart-line', ...from, ...to, stroke: LINE, 'stroke-width': 1 });
}
