/** Reads figures that are written with several numbers: `1 h 30 min`, `2/3`, `1 in 8`. */
import type { Figure, Reading } from './figure.ts';

const UNIT =
  'd|days?|tagen?|jours?|d[ií]as?|giorni|h|hrs?|hours?|std\\.?|stunden?|heures?|horas?|ore|m|mins?|minutes?|minuten|minutos|minuti|s|secs?|seconds?|sekunden|secondes?|segundos|secondi';
const PIECE = `\\d{1,6}(?:[.,]\\d{1,3})?\\s?(?:${UNIT})(?!\\p{L})`;
const DURATION = new RegExp(`(?<![\\d.,])${PIECE}(?:,?\\s?(?:(?:and|und|et|y|e)\\s)?${PIECE}){1,3}`, 'giu');
const FRACTION =
  /(?<![\d.,/])(\d{1,2})(?:\s?\/\s?|\s(?:in|out of|von|sur|su|de cada|em cada)\s)(\d{1,3})(?![\d/%]|[.,]\d)/giu;

const SECONDS: Readonly<Record<string, number>> = {
  d: 86_400,
  t: 86_400,
  j: 86_400,
  g: 86_400,
  h: 3_600,
  o: 3_600,
  m: 60,
  s: 1,
};

/** Puts the figures of a compound into one, which is explained as a whole or part by part. */
export function joinCompounds(text: string, figures: readonly Figure[]): Figure[] {
  const compounds = [...readingsIn(text, DURATION, durationReadings), ...readingsIn(text, FRACTION, fractionReadings)];
  let joined = [...figures];
  for (const { written, start, end, readings } of compounds) {
    const parts = joined.filter((figure) => figure.start >= start && figure.end <= end && figure.parts.length === 0);
    const [first] = parts;
    if (first === undefined) continue;
    const whole: Figure = {
      text: written,
      start,
      end,
      isPercent: false,
      isPoints: false,
      isMultiple: false,
      isNegative: false,
      hasDecimals: true,
      readings,
      parts,
    };
    joined = joined.flatMap((figure) => (figure === first ? [whole] : parts.includes(figure) ? [] : [figure]));
  }
  return joined;
}

interface Compound {
  readonly written: string;
  readonly start: number;
  readonly end: number;
  readonly readings: readonly Reading[];
}

/** A text has few of them. */
const MAX_COMPOUNDS = 40;

function readingsIn(text: string, pattern: RegExp, read: (match: RegExpExecArray) => Reading[]): Compound[] {
  return [...text.matchAll(pattern).take(MAX_COMPOUNDS)].map((match) => ({
    written: match[0],
    start: match.index,
    end: match.index + match[0].length,
    readings: read(match),
  }));
}

/** In seconds, minutes, hours, days and milliseconds. */
function durationReadings([text]: RegExpExecArray): Reading[] {
  let seconds = 0;
  let smallest = Infinity;
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+(?:[.,]\d+)?)\s?(\p{L}+)/gu)) {
    const scale = /^st/i.test(unit) ? 3_600 : (SECONDS[unit.charAt(0).toLowerCase()] ?? 1);
    seconds += Number(number.replace(',', '.')) * scale;
    smallest = Math.min(smallest, scale);
  }
  return [1, 60, 3_600, 86_400, 0.001].map((unit) => ({ value: seconds / unit, tolerance: smallest / 2 / unit }));
}

/** `1 in 8` is rounded to whole numbers. */
function fractionReadings([, part, whole]: RegExpExecArray): Reading[] {
  const [a, b] = [Number(part), Number(whole)];
  if (a === 0 || a >= b) return [];
  return [{ value: a / b, tolerance: a / (b - 0.5) - a / b }];
}
