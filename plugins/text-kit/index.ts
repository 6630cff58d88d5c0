/** Shared parts of everything that shows texts of others. */
export { truncate } from './truncate.ts';
export { HIDDEN_CHARACTERS, type TextPart, visibleParts, visibleText } from './visible-text.ts';
