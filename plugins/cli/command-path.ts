/** Reads the words of a command out of its declared name. */
import type { CliCommand } from '../../kernel/index.ts';

/** `['plugin', 'create']` of `plugin create <name>`. */
export function commandPath({ name }: Pick<CliCommand, 'name'>): readonly string[] {
  const words = name.split(' ');
  const end = words.findIndex((word) => /^[<[]/.test(word));
  return end < 0 ? words : words.slice(0, end);
}
