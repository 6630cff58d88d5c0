/** Makes texts compare: without case, accents and width, and split into words where a script has no spaces. */

/** Combining marks, except those that make another letter of a kana. */
const MARKS = /(?![\u3099\u309a])\p{M}/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

let segmenter: Intl.Segmenter | undefined;

/** The text in lower case, without accents, and with letters and digits of usual width. */
export function folded(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(MARKS, '').normalize('NFC').toLowerCase().replaceAll('ß', 'ss');
}

/** The words of a text in a script without spaces; any other text as it is. */
export function segmented(text: string): string[] {
  if (isAscii(text) || !UNSPACED.test(text)) return [text];
  // Its dictionary is that of all such scripts.
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return Array.from(segmenter.segment(text.normalize('NFKC'))).flatMap((one) => (one.isWordLike ? one.segment : []));
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
