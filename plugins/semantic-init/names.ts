/** Turns the names of tables and columns into names that a layer may use. */

/** A name that needs no quotes in questions and files. */
export const plainName = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '') || 'unnamed';
