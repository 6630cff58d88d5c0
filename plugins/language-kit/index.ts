/** Recognizes the language of questions, and makes words of several languages compare. */
export { languageOf, languageOfTurns } from './detection.ts';
export { folded, segmented } from './folding.ts';
export { isFrequent, LANGUAGE_CODES, LANGUAGES, type Language, type LanguageCode } from './languages.ts';
