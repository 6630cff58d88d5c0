/** Makes the body of a request from the values of a form. */
import type { Values } from './resource.ts';

/** What was filled in. */
export function filled(values: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, values[name]?.trim() ?? '']).filter(([, value]) => value !== ''),
  );
}

/** What was emptied is `null`. */
export function cleared(values: Values, names: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, values[name]?.trim() || null]));
}

/** Whole numbers; what is no number goes as it is, for the server to object to. */
export function numbers(values: Values, names: readonly string[]): Record<string, number | string> {
  const texts = Object.entries(filled(values, names));
  return Object.fromEntries(texts.map(([name, text]) => [name, Number.isNaN(Number(text)) ? text : Number(text)]));
}

export const listOf = (value: string | undefined): string[] => (value ?? '').split(',').filter((part) => part !== '');
