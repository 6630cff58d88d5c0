/** Halves of characters, which `JSON.stringify` escapes; whole ones it writes as they are. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][\da-f]{2}/g;

/**
 * JSON as `JSON.stringify` wrote it without halves of characters, which cut texts and models leave behind: providers
 * refuse a whole request for one.
 */
export const wellFormedJson = (json: string): string => (json.includes('\\ud') ? json.replace(HALF, '$1\ufffd') : json);
