/** Makes characters visible that would hide, reorder or imitate other text. */

export interface TextPart {
  readonly text: string;
  /** It stands for a character that cannot be seen. */
  readonly isSymbol: boolean;
}

/** Controls, bidirectional marks and overrides, blanks without width, fillers, tags. */
const HIDDEN =
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]';
/** Joiners inside an emoji and inside words of scripts that need them, and the tags of flags, are as they should be. */
const JOINED = '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})';
const SCRIPTS =
  '[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}]';
const SPELLED = `(?<=${SCRIPTS})[\\u200c\\u200d](?=${SCRIPTS})`;
const FLAG = '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,8})[\\u{e0020}-\\u{e007e}]{0,8}\\u{e007f}';
/** Matches each of them, other than line breaks and tabs, for an editor to mark. */
export const HIDDEN_CHARACTERS = new RegExp(`(?=${HIDDEN})(?!${JOINED}|${SPELLED}|${FLAG}|[\\t\\n])[^]`, 'gu');
const ANY_HIDDEN = new RegExp(HIDDEN, 'u');
const PARTS = new RegExp(`(${JOINED}|${SPELLED}|${FLAG})|${HIDDEN}`, 'gu');

const SYMBOLS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥', '\u007f': '␡' };

function symbolOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return SYMBOLS[character] ?? String.fromCodePoint(0x2400 + code);
  return SYMBOLS[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** `kept`: characters that the place where the text stands can show, such as line breaks. */
export function visibleParts(text: string, kept = ''): readonly TextPart[] {
  if (!ANY_HIDDEN.test(text)) return [{ text, isSymbol: false }];
  const parts: TextPart[] = [];
  let start = 0;
  for (const match of text.matchAll(PARTS)) {
    const [character, harmless] = match;
    if (harmless !== undefined || kept.includes(character)) continue;
    if (match.index > start) parts.push({ text: text.slice(start, match.index), isSymbol: false });
    parts.push({ text: symbolOf(character), isSymbol: true });
    start = match.index + character.length;
  }
  if (start < text.length) parts.push({ text: text.slice(start), isSymbol: false });
  return parts;
}

/** The text with symbols in it, for places that take no elements, such as labels of a chart. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join('');
}
