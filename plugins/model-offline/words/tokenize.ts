/** Splits a question into tokens: words, numbers, ISO dates, quoted texts and the few signs that mean something. */
import { fold, nameWords, stem } from './words.ts';

/** `text`: as written; `word`: folded; `start`, `end`: offsets into the question; `value`: of a number. */
export type Token = Readonly<{ text: string; word: string; stem: string; start: number; end: number; value?: number }> &
  Readonly<{ kind: 'word' | 'number' | 'date' | 'quoted' | 'sign' }> &
  Readonly<{ percent?: boolean; capitalised?: boolean; possessive?: boolean }>;

const SHAPES =
  /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])|(\d{4}[-/]\d{2}[-/]\d{2}(?!\d)|\d{4}-\d{2}(?![\d-]))|([$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:k|m|bn|thousand|million|billion)(?![\p{L}\p{N}]))?(?:\s?(?:%|percent|per cent))?(?![\p{L}\p{N}_]))|(square (?:kilo)?met(?:er|re)s?(?!\p{L})|[\p{L}\p{N}]+(?:'[\p{L}]+)?)|(<=|>=|!=|<>|[<>=,&])/giu;
const SCALE: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9 };
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const CONTRACTIONS: Readonly<Record<string, string>> = { "can't": 'can not', cannot: 'can not', "won't": 'will not' };

/** Tokens in order; signs that carry no meaning (`?`, `.`, brackets) are dropped. */
export function tokenize(question: string): Token[] {
  const text = question.replace(/[‘’]/g, "'").replace(/[“”„]/g, '"').replace(/\s/g, ' ');
  const tokens: Token[] = [];
  for (const match of text.matchAll(SHAPES)) {
    const raw = match[0];
    const at = { start: match.index, end: match.index + raw.length };
    if (match[1] !== undefined || match[2] !== undefined) {
      const inner = (match[1] ?? match[2] ?? '').trim();
      tokens.push({ ...at, text: inner, word: fold(inner), stem: nameWords(inner).map(stem).join(''), kind: 'quoted' });
    } else if (match[3] !== undefined) {
      const iso = raw.replaceAll('/', '-');
      tokens.push({ ...at, text: iso, word: iso, stem: iso, kind: 'date' });
    } else if (match[4] !== undefined) tokens.push(numberToken(raw, at));
    else if (match[5] !== undefined)
      tokens.push(...wordTokens(raw, at, /'s$/i.test(raw) || (/s$/i.test(raw) && text[at.end] === "'")));
    else if (raw !== ',' || tokens.length > 0) tokens.push({ ...at, text: raw, word: raw, stem: raw, kind: 'sign' });
  }
  return tokens;
}

function numberToken(raw: string, at: { start: number; end: number }): Token {
  const shape = /([\d.]+)\s?((?:k|m|bn|thousand|million|billion)?)\s?(%|percent|per cent)?/i;
  const [, digits, scale = '', percent] = shape.exec(raw.replaceAll(',', '')) ?? [];
  const value = Number(digits) * (SCALE[scale.toLowerCase()] ?? 1);
  const text = raw.trim();
  return { ...at, text, word: text, stem: text, kind: 'number', value, ...(percent && { percent: true }) };
}

function wordTokens(raw: string, at: { start: number; end: number }, possessive: boolean): Token[] {
  const folded = fold(raw);
  const number = NUMBERS.indexOf(folded);
  if (number >= 0) return [{ ...at, text: raw, word: folded, stem: folded, kind: 'number', value: number }];
  const capitalised = at.start > 0 && /^\p{Lu}/u.test(raw);
  const square = /^square (kilo)?met/.exec(folded);
  const whole = square
    ? square[1]
      ? 'km2'
      : 'm2'
    : (CONTRACTIONS[folded] ?? folded.replace(/n't$/, ' not').replace(/'(s|re|ve|ll|d|m)$/, ''));
  const words = whole.replaceAll("'", '').split(' ');
  return words.map((word) => ({
    ...at,
    text: words.length === 1 ? raw.replace(/'(s|re|ve|ll|d|m)$/i, '') : word,
    word,
    stem: stem(word),
    kind: 'word',
    ...(capitalised && { capitalised }),
    ...(possessive && { possessive }),
  }));
}
