/** Turns the names of tables and columns into names that a layer may use, and finds names for the same thing. */

/** A name that needs no quotes in questions and files. */
export const plainName = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '') || 'unnamed';

/** A plain name as people say it. */
export const spoken = (name: string) => name.replaceAll('_', ' ');

/** The last word in singular. */
export const singular = (name: string) =>
  name
    .replace(/(^|_)people$/, '$1person')
    .replace(/(^|_)children$/, '$1child')
    .replace(/(mov|cook|calor)ies$/, '$1ie')
    .replace(/([^aeiou])ies$/, '$1y')
    .replace(/(ss|x|ch|sh|us)es$/, '$1')
    .replace(/(?<!(^|_)(serie|specie|new))([^sui])s$/, '$3');

/** The last word in plural. */
export function plural(name: string): string {
  const one = singular(name);
  if (one !== name) return name;
  return /[^aeiou]y$/.test(one) ? one.replace(/y$/, 'ies') : `${one}${/(s|x|ch|sh)$/.test(one) ? 'es' : 's'}`;
}

/** Equal for plain names that differ in plural endings and underscores only. */
export const nameKey = (name: string) =>
  singular(name)
    .replace(/(s|x|z|ch|sh)e$/, '$1')
    .replaceAll('_', '');

/** A plain name without what says only that it is a table or a view: `v_open_invoices`, `dim_customer`. */
export const withoutKind = (name: string) => name.replace(/^(v|vw|view|mv|tbl|tb|dim|fact|fct|stg)_(?=.)/, '');

/** Names of copies of tables, such as `orders_backup_20240101`, which nobody means who asks. */
export const isCopy = (name: string) => /(^|_)(backup|bak|bkp|copy|old|tmp|temp)(_|\d|$)|_\d{6,8}$/.test(name);

/** `name`, or the first of `name_2`, `name_3` … that is free. */
export function free(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(tried)) return tried;
  }
}
