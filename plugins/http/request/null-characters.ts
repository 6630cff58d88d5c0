/** Refuses U+0000 in texts: some databases have none in theirs, and no client means one. */
import { invalidInput } from '../answer/input-errors.ts';

export const NULL_CHARACTER = 'must not hold a null character';

/** In JSON it can only be written like this; an escaped backslash before four zeros is none. */
const NULL_IN_JSON = /(?<!\\)(?:\\\\)*\\u0000/;
/** Values that are looked at to say where it is. */
const MAX_SEARCHED = 10_000;

/** Throws `validation_error` for a body with U+0000 in a text or a key. `json` is what `value` was read from. */
export function refuseNullCharacters(json: string, value: unknown): void {
  if (!NULL_IN_JSON.test(json)) return;
  const open = [{ path: '', key: '', value }];
  for (let searched = 0; searched < MAX_SEARCHED; searched += 1) {
    const next = open.pop();
    if (next === undefined) break;
    const { path, key, value: item } = next;
    if (key.includes('\0') || (typeof item === 'string' && item.includes('\0'))) {
      const fault = { path: path.slice(0, 200).replaceAll('\0', '\\u0000'), message: NULL_CHARACTER };
      throw invalidInput('validation_error', 'The request body', [fault]);
    }
    if (typeof item !== 'object' || item === null) continue;
    // A list with more items than are looked at is not spread out first.
    for (const [name, inner] of Object.entries(Array.isArray(item) ? item.slice(0, MAX_SEARCHED) : item)) {
      open.push({ path: path === '' ? name : `${path}.${name}`, key: name, value: inner });
    }
  }
  throw invalidInput('validation_error', 'The request body', [{ path: '', message: NULL_CHARACTER }]);
}
