/** Says where in a YAML file a place is: below which keys, and what has been typed there. */

export interface Place {
  /** Keys from the top of the file to the map or list that the place is in. */
  readonly path: readonly string[];
  /** Whose value is written here; `undefined`: a key, or an item of a list. */
  readonly key: string | undefined;
  readonly typed: string;
}

/** Indentation with the dashes of list items, then a key. */
const KEY_LINE = /^(\s*(?:-\s+)*)([\w-]+)\s*:(?:\s|$)/;
const LEAD = /^\s*(?:-\s+)*/;

interface Frame {
  key: string | undefined;
  typed: string;
}

/** The maps and lists in braces that are open at the end of the line, the outermost first. */
function framesOf(line: string): readonly Frame[] {
  const open: Frame[] = [{ key: undefined, typed: '' }];
  for (const [at, character] of [...line].entries()) {
    const frame = open.at(-1) as Frame;
    const isInBraces = open.length > 1;
    const isEmpty = frame.typed.trim() === '';
    if ((character === '{' || character === '[') && (isEmpty || isInBraces)) open.push({ key: undefined, typed: '' });
    else if ((character === '}' || character === ']') && isInBraces) open.pop();
    else if (character === ',' && isInBraces) Object.assign(frame, { key: undefined, typed: '' });
    else if (character === ':' && frame.key === undefined && /^\s?$/.test(line[at + 1] ?? '')) {
      Object.assign(frame, { key: frame.typed.trim(), typed: '' });
    } else frame.typed += character;
  }
  return open;
}

/** A list's dash may stand in the column of the key that the list belongs to. */
function outermost(lead: string): number {
  const dash = lead.indexOf('-');
  return dash === -1 ? lead.length : dash + 0.5;
}

/** The keys of the lines above that `lead` is below. */
function keysAbove(above: Iterable<string>, lead: string): string[] {
  const keys: string[] = [];
  let column = outermost(lead);
  if (column === 0) return keys;
  for (const line of above) {
    const [, indentation, key] = KEY_LINE.exec(line) ?? [];
    if (indentation === undefined || key === undefined || indentation.length >= column) continue;
    keys.unshift(key);
    column = outermost(indentation);
    if (column === 0) break;
  }
  return keys;
}

/** `line`: up to the place; `above`: the lines above it, the nearest first. `undefined` inside a comment. */
export function placeAt(line: string, above: Iterable<string>): Place | undefined {
  if (/(?:^|\s)#/.test(line)) return undefined;
  const [lead = ''] = LEAD.exec(line) ?? [];
  const frames = framesOf(line.slice(lead.length));
  const inner = frames.at(-1) as Frame;
  const outer = frames.slice(0, -1).flatMap(({ key }) => key ?? []);
  return { path: [...keysAbove(above, lead), ...outer], key: inner.key, typed: inner.typed.trimStart() };
}
