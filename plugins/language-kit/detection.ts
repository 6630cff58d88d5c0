/** Recognizes the language of a question by its frequent words and its script, in some microseconds. */
import { folded } from './folding.ts';
import { LANGUAGE_CODES, LANGUAGES, type LanguageCode, wordsOf } from './languages.ts';

/** What is asked stands at the beginning; later text is not read. */
const MAX_CHARS = 600;
/** Questions that are looked at for the language of one that says too little. */
const MAX_TURNS = 3;
const MIN_WORDS = 2;

/** Words of English questions that no other language has. */
const ENGLISH = `the of by how many much show with which who whose when where why are is were did does have had and not
  from for to than since until each every between our your their there this that these those more most less least
  average month months monthly year years yearly week weeks weekly day days daily customer customers order orders sales
  revenue count number give tell my us it its been can could would please only out over under about what list get`;

/** How a word counts: by language, whether it is no part of proper names. */
type Weight = readonly (readonly [language: number, isTelling: boolean])[];

let weights: ReadonlyMap<string, Weight> | undefined;

function weightsOf(): ReadonlyMap<string, Weight> {
  const found = new Map<string, Weight>();
  const add = (list: string, language: number, isTelling: boolean) => {
    for (const word of wordsOf(list)) found.set(word, [...(found.get(word) ?? []), [language, isTelling]]);
  };
  for (const [at, code] of LANGUAGE_CODES.entries()) {
    const { words, topics, weak } = LANGUAGES[code];
    add(`${words} ${topics}`, at, true);
    add(weak, at, false);
  }
  add(ENGLISH, LANGUAGE_CODES.length, true);
  return found;
}

/** `en` where something is English, `undefined` where nothing tells. */
function certainLanguage(text: string): LanguageCode | 'en' | undefined {
  weights ??= weightsOf();
  const asked = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
  const words = new Set(asked.replace(/"[^"]*"|“[^”]*”|«[^»]*»/g, ' ').match(/\p{L}+/gu));
  const [all, telling] = [new Array<number>(LANGUAGE_CODES.length + 1).fill(0), new Set<number>()];
  if (asked.includes('¿')) {
    all[LANGUAGE_CODES.indexOf('es')]! += 1;
    telling.add(LANGUAGE_CODES.indexOf('es'));
  }
  for (const word of words) {
    const found = weights.get(folded(word));
    if (found === undefined) continue;
    const isName = word[0] !== word[0]!.toLowerCase();
    const isAbbreviation = word.length < 4 && isName && word === word.toUpperCase();
    for (const [language, isTelling] of found) {
      if (isTelling ? isAbbreviation : isName) continue;
      all[language]! += 1;
      if (isTelling) telling.add(language);
    }
  }
  const english = all.at(-1)!;
  if (isJapanese(asked) && english === 0) return 'ja';
  let best: LanguageCode | undefined;
  let most = Math.max(MIN_WORDS - 1, 2 * english);
  for (const [language, code] of LANGUAGE_CODES.entries()) {
    if (!telling.has(language) || all[language]! <= most) continue;
    best = code;
    most = all[language]!;
  }
  return best ?? (english > 0 ? 'en' : undefined);
}

/** Hiragana, and more letters of Japanese than small Latin ones: in English questions they stand in names. */
function isJapanese(text: string): boolean {
  if (!/[\u3040-\u309f]/.test(text)) return false;
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/gu) > count(/\p{Ll}/gu);
}

/** The language of a text; `undefined`: English, or not certain. */
export function languageOf(text: string): LanguageCode | undefined {
  const found = certainLanguage(text);
  return found === 'en' ? undefined : found;
}

type Turns = readonly { readonly role: string; readonly text: string }[];

/** Several parts of a question's preparation ask for it. */
const known = new WeakMap<Turns, { readonly language: LanguageCode | undefined }>();

/** The language of the last question of a conversation that tells it. */
export function languageOfTurns(turns: Turns): LanguageCode | undefined {
  const found = known.get(turns) ?? { language: lastLanguage(turns) };
  known.set(turns, found);
  return found.language;
}

function lastLanguage(turns: Turns): LanguageCode | undefined {
  let left = MAX_TURNS;
  for (let at = turns.length - 1; at >= 0 && left > 0; at -= 1) {
    const { role, text } = turns[at]!;
    if (role !== 'user') continue;
    left -= 1;
    const found = certainLanguage(text);
    if (found !== undefined) return found === 'en' ? undefined : found;
  }
  return undefined;
}
