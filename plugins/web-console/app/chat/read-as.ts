/** Separates how a question was read from the text of its answer. */

const BEGINNING = 'Read as: ';

export interface ReadAnswer {
  readonly text: string;
  /** What was read, part by part: the measure, the grouping, the period, the filters. */
  readonly readAs: readonly string[];
}

/** At commas that are not within parentheses or quotes. */
function partsOf(line: string): string[] {
  return (line.match(/(?:\([^)]*\)|"[^"]*"|[^,("]|["(])+/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function readAnswer(text: string): ReadAnswer {
  const whole = text.trimEnd();
  const at = whole.lastIndexOf('\n') + 1;
  if (!whole.startsWith(BEGINNING, at)) return { text, readAs: [] };
  const line = whole.slice(at + BEGINNING.length);
  return { text: whole.slice(0, at).trimEnd(), readAs: partsOf(line.endsWith('.') ? line.slice(0, -1) : line) };
}

/** A period, as opposed to a filter by a date or a comparison. */
const PERIOD =
  /^(?!where |compared with )(?:.* )?(?:in .+ \(\d+-\d\d-\d\d up to, not including, \d+-\d\d-\d\d\)|from \d+-\d\d-\d\d to \S+|(?:since|before) \d+-\d\d-\d\d)$/;
const BY_TIME = /^by .* \(per (?:day|week|month|quarter|year)\)$/;
const PERIODS = ['this month', 'last month', 'this quarter', 'last quarter', 'this year', 'last year'];
const GRAINS = ['by day', 'by week', 'by month', 'by quarter', 'by year'];

/** What most often takes the place of a part: other periods, other steps of time. Of other parts only the person knows. */
export function alternativesTo(part: string): readonly string[] {
  return PERIOD.test(part) ? PERIODS : BY_TIME.test(part) ? GRAINS : [];
}

/** The message that puts something else in the place of a part of the last question. */
export const correctionTo = (part: string): string => `I meant ${part}`;
