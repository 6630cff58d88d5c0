/** Tells which first questions are the same one, and whether their answer holds for one day only. */
import { languageOf } from '../../language-kit/index.ts';

/** Longer questions are rarely asked twice. */
export const MAX_QUESTION_CHARS = 500;

/** Whatever may mean a period, which is another one tomorrow. More than needed is no harm. */
const PERIOD_WORD =
  /\d{4}|\b(?:to(?:day|night|morrow|-date)|yesterday|now|current(?:ly)?|this|these|last|latest|next|past|previous|prior|recent(?:ly)?|ago|since|until|till|before|after|during|within|rolling|so far|to date|[ymqw]td|(?:second|minute|hour|da[iy]|week|weekend|month|quarter|season|year|decade)(?:s|ly|ys)?|date[sd]?|daily|annual(?:ly)?|fiscal|[qh][1-4]|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|christmas|easter)\b/;
/** A year, a time as a number, and what names a part of a date, which may be compared with a number. */
const PERIOD_IN_CALL =
  /(?:19|20)\d\d|\d{9,}|month|year|quarter|week|\bday|hour|extract|strftime|date_?part|datename|to_char|date_?format/i;

/** The words of a question: case, spacing, quotation marks and the marks that end sentences make no other question. */
export function normalizedQuestion(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/["“”„«»]/g, ' ')
    .split(/\s+/);
  return words.flatMap((word) => word.replace(/^[¿¡]+|[.,;:!?…]+$/g, '') || []).join(' ');
}

/**
 * Whether the answer to a question, as normalized, may be another one the next day by what `calls` say. A question that is
 * not in English may name a period in words that are not known.
 */
export const isOfDay = (question: string, calls: string): boolean =>
  PERIOD_WORD.test(question) || languageOf(question) !== undefined || PERIOD_IN_CALL.test(calls);
