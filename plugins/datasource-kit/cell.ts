/** Types a value of a result as it is given: what JSON has. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [key: string]: Cell };
