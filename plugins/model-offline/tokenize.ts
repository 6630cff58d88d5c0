/** Splits a question into tokens: words, numbers, ISO dates, quoted texts and the few signs that mean something. */
import { fold, nameWords, stem } from './words.ts';

export interface Token {
  /** As written. */
  readonly text: string;
  /** Folded: lower case, no diacritics. */
  readonly word: string;
  readonly stem: string;
  /** Offsets into the question. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'word' | 'number' | 'date' | 'quoted' | 'sign';
  /** Value of a `number`. */
  readonly value?: number;
  readonly percent?: boolean;
  /** Starts with a capital letter although it does not start the question. */
  readonly capitalised?: boolean;
}

const SHAPES =
  /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])|(\d{4}[-/]\d{2}[-/]\d{2}(?!\d)|\d{4}-\d{2}(?![\d-]))|([$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:k|m|bn|thousand|million|billion)(?![\p{L}\p{N}]))?(?:\s?(?:%|percent|per cent))?(?![\p{L}\p{N}_]))|([\p{L}\p{N}]+(?:'[\p{L}]+)?)|(<=|>=|!=|<>|[<>=,&])/giu;
const SCALE: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9 };
const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const CONTRACTIONS: Readonly<Record<string, readonly string[]>> = {
  "can't": ['can', 'not'],
  cannot: ['can', 'not'],
  "won't": ['will', 'not'],
  "let's": ['let', 'us'],
  "what's": ['what', 'is'],
  "who's": ['who', 'is'],
  "how's": ['how', 'is'],
  "where's": ['where', 'is'],
  "that's": ['that', 'is'],
  "it's": ['it', 'is'],
};

/** Tokens in order; signs that carry no meaning (`?`, `.`, brackets) are dropped. */
export function tokenize(question: string): Token[] {
  const text = question.replace(/[‘’]/g, "'").replace(/[“”„]/g, '"').replace(/\s/g, ' ');
  const tokens: Token[] = [];
  for (const match of text.matchAll(SHAPES)) {
    const raw = match[0];
    const start = match.index;
    const at = { start, end: start + raw.length };
    if (match[1] !== undefined || match[2] !== undefined) {
      const inner = (match[1] ?? match[2] ?? '').trim();
      tokens.push({ ...at, text: inner, word: fold(inner), stem: nameWords(inner).map(stem).join(''), kind: 'quoted' });
    } else if (match[3] !== undefined) {
      const iso = raw.replaceAll('/', '-');
      tokens.push({ ...at, text: iso, word: iso, stem: iso, kind: 'date' });
    } else if (match[4] !== undefined) tokens.push(numberToken(raw, at));
    else if (match[5] !== undefined) tokens.push(...wordTokens(raw, at));
    else if (raw !== ',' || tokens.length > 0) tokens.push({ ...at, text: raw, word: raw, stem: raw, kind: 'sign' });
  }
  return joinNumberWords(tokens);
}

function numberToken(raw: string, at: { start: number; end: number }): Token {
  const parts = /([\d.]+)\s?((?:k|m|bn|thousand|million|billion)?)\s?(%|percent|per cent)?/i.exec(
    raw.replaceAll(',', ''),
  );
  const value = Number(parts?.[1]) * (SCALE[parts?.[2]?.toLowerCase() ?? ''] ?? 1);
  const text = raw.trim();
  return { ...at, text, word: text, stem: text, kind: 'number', value, ...(parts?.[3] && { percent: true }) };
}

function wordTokens(raw: string, at: { start: number; end: number }): Token[] {
  const folded = fold(raw);
  const capitalised = at.start > 0 && /^\p{Lu}/u.test(raw);
  const negative = /^(\p{L}+)n't$/u.exec(folded);
  const words =
    CONTRACTIONS[folded] ??
    (negative ? [negative[1]!, 'not'] : [folded.replace(/'(s|re|ve|ll|d|m)$/, '').replaceAll("'", '')]);
  return words.map((word) => ({
    ...at,
    text: words.length === 1 ? raw.replace(/'(s|re|ve|ll|d|m)$/i, '') : word,
    word,
    stem: stem(word),
    kind: 'word',
    ...(capitalised && { capitalised }),
  }));
}

const smallNumber = (word: string): number | undefined => {
  const unit = UNITS.indexOf(word);
  if (unit >= 0) return unit;
  const ten = TENS.indexOf(word);
  return ten >= 0 ? (ten + 2) * 10 : word === 'dozen' ? 12 : undefined;
};

/** "twenty five", "two hundred", "5 thousand" become one number token. */
function joinNumberWords(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const first = tokens[i]!;
    let value = first.kind === 'word' ? smallNumber(first.word) : undefined;
    if (value === undefined) {
      out.push(first);
      continue;
    }
    let last = first;
    let total = 0;
    for (let next = tokens[i + 1]; next?.kind === 'word'; next = tokens[i + 1]) {
      const more = smallNumber(next.word);
      if (next.word === 'hundred') value *= 100;
      else if (next.word === 'thousand' || next.word === 'million') {
        total += value * SCALE[next.word]!;
        value = 0;
      } else if (more !== undefined && (value % 100 === 0 || (value % 10 === 0 && value % 100 > 10 && more < 10)))
        value += more;
      else break;
      last = next;
      i++;
    }
    const text = first === last ? first.text : `${first.text} ${last.text}`;
    out.push({
      ...first,
      end: last.end,
      text,
      word: first.word,
      stem: first.stem,
      kind: 'number',
      value: total + value,
    });
  }
  return out;
}
