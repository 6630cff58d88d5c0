/** Reads the figures of a text: numbers that state something, in the notations of several locales. */

import { joinCompounds } from './compound-figures.ts';
import type { Figure, Reading } from './figure.ts';
import { MONTHS, SCALE_WORDS } from './words.ts';

/** Later figures of a text are not read. */
const MAX_FIGURES = 400;
/** A longer run of digits states nothing, or is many numbers. */
const MAX_FIGURE_CHARS = 60;
/** Later text is not read. */
const MAX_CHARS = 65_536;

const MONTH = `(?:${MONTHS.join('|')})(?!\\p{L})\\.?`;
const DAY = '\\d{1,2}(?:st|nd|rd|th|er|º|ª|\\.)?';
const YEAR = '(?:1[5-9]|2[01])\\d{2}';

/** Text in which digits state nothing: dates, times, names, versions, markers of lists, code. */
const NO_FIGURES = new RegExp(
  [
    // Code, addresses.
    '```[\\s\\S]*?(?:```|(?![\\s\\S]))',
    '`[^`\\n]*`',
    '\\b(?:https?:\\/\\/|www\\.)\\S+',
    '(?<![^\\s@])[^\\s@]+@[^\\s@]+\\.[^\\s@]+',
    // Dates and times.
    `${YEAR}-(?:W\\d{1,2}|Q[1-4]|H[12]|\\d{1,2})(?:-\\d{1,2})?(?:[T ]\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:Z| ?[+-]\\d{2}:?\\d{2})?)?(?!\\d)`,
    '(?<![\\d.,])\\d{1,2}[./-]\\d{1,2}[./-](?:\\d{4}|\\d{2})(?![\\d])',
    `(?<![\\d.,])${YEAR}[./]\\d{1,2}(?:[./]\\d{1,2})?(?![\\d])`,
    `(?<![\\d.,\\p{L}])${DAY}(?:\\s*(?:[-–—]|to|bis|and|und|&)\\s*${DAY})?[\\s-]*(?:de |of |di )?${MONTH}(?:[\\s,-]*(?:de |of )?(?:${YEAR}|['’]\\d{2}))?(?![\\p{L}\\d])`,
    `(?<!\\p{L})${MONTH}[\\s,-]+${DAY}(?:\\s*(?:[-–—]|to|and)\\s*(?:${MONTH}\\s+)?${DAY})?(?:,?\\s+${YEAR})?(?![\\p{L}\\d%])(?![.,]\\d)`,
    `(?<!\\p{L})${MONTH}[\\s,-]*(?:de |of )?(?:${YEAR}|['’]\\d{2})(?![\\d])`,
    `${YEAR}\\s*[-–—/]\\s*(?:${YEAR}|\\d{2})(?![\\d%])(?![.,]\\d)`,
    `${YEAR}(?:年(?:度)?(?:\\d{1,2}月)?(?:\\d{1,2}日)?|s\\b|er(?:n|-Jahre)?\\b)`,
    '\\d{1,2}月(?:\\d{1,2}日)?',
    '\\d{1,4}[년월일]',
    `(?<![\\d.,])(?:${YEAR}\\. ?\\d{1,2}\\. ?\\d{1,2}\\.?|\\d{1,2}\\. ?\\d{1,2}\\.(?: ?${YEAR}| ?\\d{1,2}\\.)?)(?![\\d])`,
    '(?<![\\d:.,])\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:\\s*[ap]\\.?m\\b\\.?)?(?![\\d:])',
    '(?<![\\d.,])\\d{1,2}\\s*(?:[ap]\\.?m\\b\\.?|Uhr\\b|h\\d{2}\\b|o.clock)',
    "\\b(?:FY|CY|[QHTSK][1-4]|KW|CW|wk)\\s*[-/]?\\s*(?:\\d{4}|['’]?\\d{2})?(?:\\s?[-–/]\\s?(?:\\d{4}|\\d{2}))?(?![\\d%])",
    "(?<![\\p{L}\\d])['’]\\d{2}(?![\\d\\p{L}])",
    // Ordinals, and places in an order.
    '(?<!\\d)\\d+(?:st|nd|rd|th|ème|eme|ère|ª|º)(?!\\p{L})',
    '(?:\\b(?:no|nr|num|number|nummer|rank(?:ed|s)?|place|platz|rang|position|step|row|line|item|page|level|result|query|option|week|day|month|quarter|version|v|semana|semaine|woche|tag|monat|quartal)\\b\\.?|[#№]|n°|nº)\\s*#?\\s*\\d{1,3}(?![\\d%\\p{L}])(?![.,]\\d)',
    '(?:\\b(?:top|bottom|first|last|next|previous|prior|past|limit(?:ed)?(?: of| to)?|trailing|leading|ersten?|letzten?|nächsten?|vorigen?|premiers?|premières?|derniers?|dernières?|primer[oa]s|últim[oa]s|within|innerhalb von)\\b)[\\s-]*\\d{1,3}(?:[.,]\\d{3}){0,4}(?![\\d%.,]{0,9}\\d)(?!\\s?%)',
    '\\d{1,3}(?=\\s+(?:premiers|premières|derniers|dernières|primer[oa]s|últim[oa]s|most recent|largest|biggest|smallest|highest|lowest|best|worst|top)\\b)',
    '\\d{1,2}\\.(?=\\s+(?:Platz|Rang|Stelle|Quartal|Monat|Woche|Tag|Jahr|Halbjahr)\\b)',
    // Markers of lists, headings, footnotes; the first cell of a row.
    '(?<=^[ \\t>*#-]{0,40})\\(?\\d{1,3}[.)](?=[ \\t]|\\*\\*)',
    '(?<=^[ \\t]{0,40}\\|[ \\t]{0,40})\\d{1,4}(?=[ \\t]*\\|[ \\t]*\\S)',
    '\\[\\d{1,3}\\]',
    // Names with digits, versions, addresses of machines.
    '(?<![\\d.])\\d+(?:\\.\\d+){3,}',
    '\\bv\\.?\\d+(?:\\.\\d+)*',
    '[\\p{L}_][\\p{L}\\p{M}\\d_]{0,63}-\\d[\\p{L}\\d-]*(?![.,]\\d)',
  ].join('|'),
  'gimu',
);

const SPACE = ' \\u00a0\\u2009\\u202f';
/** Digits with all that may stand between them. */
const NUMBER = new RegExp(
  `(?:\\d{1,3}(?:[${SPACE}]\\d{3})+(?![\\d])|\\d+(?:[.,'’_٫٬]\\d+)*)(?:[.,٫]\\d+)?(?:\\s?[x×·*]\\s?10(?:\\^\\s?[-−+]?\\d{1,3}|[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+−]?\\d{1,3}(?![\\p{L}\\d]))?|(?<![\\d])[.,]\\d+`,
  'gu',
);

const SUFFIX = /^[ \u00a0\u2009\u202f-]?([万萬億亿만억조兆]|\p{L}+)/u;
const PERCENT =
  /^[ \u00a0\u2009\u202f-]?(?:%|％|‰|percent(?:age)?(?!\p{L})|per cent|pct\b|pp\b|p\.p\.|prozent|pour\s?cent|por ciento|por cento|per cento|procent)/iu;
const POINTS =
  /^[ \u00a0-]?(?:%[ -]?points?|(?:percent(?:age)?|per cent)[ -]points?|p\.?p\b|(?:bp|bps|basis points?|basispunkte?n?)(?!\p{L})|prozentpunkte?n?|points? de (?:pourcentage|base)|puntos? (?:porcentual(?:es)?|básicos?)|pontos? percentua(?:l|is)|punt[oi] percentual[ei]|procentpoint|procentenheter)/iu;
const BASIS_POINTS = /^[ \u00a0-]?(?:bps?|basis|points? de base|puntos? básicos?)/iu;
const MULTIPLE = /^[ \u00a0-]?(?:x|×|times|fold|fach|mal|fois|veces|vezes|volte)(?!\p{L})/iu;
const CURRENCY =
  /(?:USD|EUR|GBP|CHF|JPY|INR|CNY|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|NZD|TRY|ILS|KRW|RUB|Rs\.?|kr\.?|zł|US|C|A|R|HK)$/;
const HEDGE =
  /(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|some|nearly|almost|close to|just (?:over|under|above|below)|over|more than|under|less than|above|below|at least|at most|up to|well over|[~≈∼]|etwa|rund|ungefähr|knapp|fast|über|mehr als|unter|weniger als|gut|environ|près de|plus de|moins de|presque|quelque|alrededor de|cerca de|más de|menos de|casi|unos|unas|circa|quase|mais de|oltre|quasi)\s*(?:[$€£¥₹]|[A-Z]{3})?\s*$/iu;
const YEAR_ONLY = /^(?:19|20)\d{2}$/;
/** What stands before a year-like number that is a figure: a verb, a sign, a currency. */
const BEFORE_FIGURE =
  /(?:\b(?:is|are|was|were|be|been|has|have|had|of only|total(?:s|ed|led|ing)?|exactly|only|count(?:s|ed)?|equals|sind|ist|war|waren|hat|haben|insgesamt|nur|sont|est|total de|son|es|hay|fueron)|[=:]|[$€£¥₹]|[A-Z]{3})\s*\**\s*$/u;

/** The figures of a text, in order. Dates, times, ordinals, markers and names are none. */
export function figuresIn(full: string): Figure[] {
  const text = asciiDigits(full.slice(0, MAX_CHARS)).replace(NO_FIGURES, (found) => ' '.repeat(found.length));
  const figures: Figure[] = [];
  const found = [...text.matchAll(NUMBER).take(MAX_FIGURES)];
  const decimalSigns = new Set(found.flatMap(([number]) => decimalSignOf(number) ?? []));
  for (const { 0: number, index } of found) {
    for (const [piece, start] of number.length > MAX_FIGURE_CHARS
      ? piecesOf(number, index)
      : [[number, index] as const]) {
      if (piece.length > MAX_FIGURE_CHARS || figures.length === MAX_FIGURES) continue;
      const figure = figureAt(text, piece, start, decimalSigns);
      if (figure !== undefined) figures.push(figure);
    }
  }
  return joinCompounds(text, figures);
}

/** The numbers between spaces, and where they start. */
function piecesOf(found: string, start: number): (readonly [piece: string, start: number])[] {
  return [...found.matchAll(/\d[^ \u00a0\u2009\u202f]*/g)].map(
    ({ 0: piece, index }) => [piece, start + index] as const,
  );
}

/** The sign that can only separate decimals: it is the last of two kinds, or has other than three digits behind it. */
function decimalSignOf(number: string): string | undefined {
  const [, sign, decimals = ''] = /([.,])(\d+)$/.exec(number.slice(-MAX_FIGURE_CHARS)) ?? [];
  if (sign === undefined || number.split(sign).length > 2) return undefined;
  return decimals.length !== 3 || /\d[.,'’ \u00a0\u202f]\d+[.,]\d+$/.test(number.slice(-MAX_FIGURE_CHARS))
    ? sign
    : undefined;
}

function figureAt(text: string, found: string, start: number, decimalSigns: ReadonlySet<string>): Figure | undefined {
  const before = text.slice(Math.max(0, start - 24), start);
  const after = text.slice(start + found.length, start + found.length + 24);
  if (isPartOfName(before, after)) return undefined;
  const points = POINTS.exec(after);
  const percent = points ?? PERCENT.exec(after);
  const isPercent = percent !== null || /[%％]\s?$/.test(before);
  const isMultiple = MULTIPLE.test(after);
  const suffix = percent === null ? SUFFIX.exec(after)?.[1]?.toLowerCase() : undefined;
  const scales = BASIS_POINTS.test(after) ? [0.01] : (SCALE_WORDS.get(suffix ?? '') ?? [1]);
  const hasScale = suffix !== undefined && scales[0] !== 1;
  if (YEAR_ONLY.test(found) && !isPercent && !hasScale && isYear(before, after)) return undefined;
  const isHedged = HEDGE.test(before);
  const readings = readingsOf(found, isHedged, decimalSigns).flatMap(({ value, tolerance }) =>
    scales.map((scale) => ({ value: value * scale, tolerance: tolerance * scale })),
  );
  const end = start + found.length + (percent?.[0].length ?? (hasScale ? (SUFFIX.exec(after)?.[0].length ?? 0) : 0));
  const isNegative = /(?:^|[\s(:,|$€£¥₹])[-−]\s?[$€£¥₹]?$/.test(before) && !/(?:^|\n)\s*-\s?$/.test(before);
  const pieces = found.includes(' ') ? piecesOf(found, start) : [];
  const parts = pieces.flatMap(([piece, at]) => figureAt(text, piece, at, decimalSigns) ?? []);
  const sign = isNegative ? (/[-−]\s?[$€£¥₹]?$/.exec(before)?.[0] ?? '') : '';
  return {
    text: sign + text.slice(start, end).trim(),
    start,
    end,
    isPercent,
    isPoints: points !== null,
    isMultiple,
    isNegative,
    hasDecimals: /[.,٫]\d+$/.test(found),
    readings,
    parts,
  };
}

/** Digits that letters hold on to are a name, unless the letters are a currency, a unit or a scale. */
function isPartOfName(before: string, after: string): boolean {
  if (/[\p{L}_]$/u.test(before) && !CURRENCY.test(before)) return true;
  if (/[\p{L}_]\.$/u.test(before) && !/(?:^|[^\p{L}])(?:Rs|kr|ca|approx)\.$/iu.test(before)) {
    // `a.5` is a name, `orders.5` a typing error.
    return /[\w]\.$/.test(before) && /^\w*[a-z_]/i.test(after) && !SUFFIX.test(after);
  }
  return /^\p{L}+\d/u.test(after) || /^_/.test(after);
}

/** Whether a number from 1900 to 2099 is a year: unless it is counted, paid or stated. */
function isYear(before: string, after: string): boolean {
  if (/[$€£¥₹]\s?$/.test(before) || /^\s?[$€£¥₹]/.test(after)) return false;
  return !BEFORE_FIGURE.test(before) || /^\s*[-–—:,]?\s*\d/.test(after);
}

/** What the digits may say: either sign may separate thousands or decimals. */
function readingsOf(found: string, isHedged: boolean, decimalSigns: ReadonlySet<string>): Reading[] {
  const scientific = /^(.*?)(?:\s?[x×·*]\s?10(?:\^\s?([-−+]?\d+)|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))|[eE]([-+−]?\d+))$/u.exec(found);
  if (scientific !== null) {
    const [, digits = '', caret, raised, plain] = scientific;
    const power = Number((caret ?? plain ?? fromSuperscript(raised ?? '0')).replace('−', '-'));
    // What stands before a power of ten is less than a thousand.
    return readingsOf(digits, isHedged, new Set(digits.match(/[.,]/g))).map(({ value, tolerance }) => ({
      value: value * 10 ** power,
      tolerance: tolerance * 10 ** power,
    }));
  }
  const plain = found.replace(/[ \u00a0\u2009\u202f'’_٬]/g, '').replaceAll('٫', '.');
  const signs = plain.replace(/\d/g, '');
  const grouped = plain !== found;
  const texts = new Set<string>();
  const without = (sign: string) => plain.replaceAll(sign, '');
  const decimalAt = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (signs === '') texts.add(plain);
  else if (signs.length === 1) {
    // Three digits behind the sign may be thousands; how the text writes other numbers may tell.
    const mayBeThousands = /^[1-9]\d{0,2}[.,]\d{3}$/.test(plain) && !grouped;
    const [known] = decimalSigns.size === 1 ? decimalSigns : [];
    const isThousands = mayBeThousands && known !== signs && (known !== undefined || plain.endsWith('0'));
    if (mayBeThousands && known !== signs) texts.add(without(signs));
    if (!isThousands) texts.add(plain.replace(',', '.'));
  } else if (new Set(signs).size === 1) texts.add(without(signs.charAt(0)));
  else {
    const whole = plain.slice(0, decimalAt).replace(/[.,]/g, '');
    texts.add(`${whole}.${plain.slice(decimalAt + 1)}`);
  }
  return [...texts].map((text) => ({ value: Number(text), tolerance: toleranceOf(text, isHedged) }));
}

/**
 * Half a unit of the last place. Zeros at the end are not taken for exact behind `about` and the like, and in numbers
 * with at least three of them and two other digits.
 */
function toleranceOf(text: string, isHedged: boolean): number {
  const decimals = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
  if (decimals > 0) return isHedged ? 10 ** -decimals : 0.5 * 10 ** -decimals;
  const zeros = /0*$/.exec(text)?.[0].length ?? 0;
  const digits = text.replace(/^0+/, '').length;
  const unit = 10 ** Math.min(zeros, Math.max(0, digits - 1));
  if (isHedged) return Math.max(unit, 1, Number(text) * 0.05);
  return zeros >= 3 && digits - zeros >= 2 ? 0.5 * unit : 0.5;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function fromSuperscript(text: string): string {
  return [...text].map((sign) => (sign === '⁻' ? '-' : SUPERSCRIPTS.indexOf(sign))).join('');
}

/** Every decimal digit of one code unit as its ASCII digit: Arabic, Devanagari, full-width, … */
function asciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (digit) => {
    if (digit.length > 1) return digit;
    // The digits of a script stand in a row, and each row begins at a digit before which there is none.
    let zero = digit.charCodeAt(0);
    while (digit.charCodeAt(0) - zero < 9 && /\p{Nd}/u.test(String.fromCharCode(zero - 1))) zero -= 1;
    return String(digit.charCodeAt(0) - zero);
  });
}
