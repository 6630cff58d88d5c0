/** Reads texts whose signs were escaped as in HTML. */
const SIGNS: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
};

/** A text with the signs that its entities stand for. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|apos|#39);/g, (name) => SIGNS[name] ?? name);
