/** Compares names with the patterns of rules. */
import { fold } from '../sql-kit/index.ts';

/** Whether the name is the pattern's, in any case, where `*` in the pattern stands for any characters, or none. */
export function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = fold(pattern).split('*');
  const text = fold(name);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
