/** Parses LookML into lists of keys and values. */

/** `dimension: id { … }` has the key `dimension`, the name `id` and a block; `type: number` a text. */
export interface Entry {
  readonly key: string;
  readonly name?: string;
  readonly value?: string | readonly string[];
  readonly block?: readonly Entry[];
  /** Counts from 1. */
  readonly line: number;
}

const KEY = /([a-z_][\w+]*)\s*:\s*/iy;
const WORD = /[^\s{}[\],"#]+/y;
const MAX_DEPTH = 50;

/** Throws an `Error` with the line of what cannot be read. */
export function parseLookml(text: string): Entry[] {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`line ${text.slice(0, at).split('\n').length}: ${what}`);
  };
  const skip = () => {
    for (;;) {
      while (/\s/.test(text[at] ?? '')) at += 1;
      if (text[at] !== '#') return;
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
    }
  };
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const quoted = () => {
    const start = at;
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    if (at >= text.length) fail('a text without its end');
    at += 1;
    return text.slice(start + 1, at - 1).replace(/\\(["\\])/g, '$1');
  };
  const list = () => {
    const items: string[] = [];
    at += 1;
    for (;;) {
      skip();
      if (text[at] === ']') break;
      if (text[at] === ',') at += 1;
      else if (text[at] === '"') items.push(quoted());
      else items.push(match(WORD)?.[0] ?? fail('a list that cannot be read'));
    }
    at += 1;
    return items;
  };
  const entries = (depth: number): Entry[] => {
    if (depth > MAX_DEPTH) fail('blocks are nested too deeply');
    const found: Entry[] = [];
    for (;;) {
      skip();
      if (at >= text.length || text[at] === '}') return found;
      const line = text.slice(0, at).split('\n').length;
      const key = match(KEY)?.[1] ?? fail('a key and a colon were expected');
      if (/^(sql|html|expression)/.test(key)) {
        const end = text.indexOf(';;', at);
        if (end < 0) fail(`${key} has no ;;`);
        found.push({ key, value: text.slice(at, end).trim(), line });
        at = end + 2;
        continue;
      }
      if (text[at] === '"') found.push({ key, value: quoted(), line });
      else if (text[at] === '[') found.push({ key, value: list(), line });
      else {
        const name = text[at] === '{' ? undefined : (match(WORD)?.[0] ?? fail(`${key} has no value`));
        skip();
        if (text[at] !== '{') {
          found.push({ key, ...(name !== undefined && { value: name }), line });
          continue;
        }
        at += 1;
        const block = entries(depth + 1);
        if (text[at] !== '}') fail(`the block of ${key} has no end`);
        at += 1;
        found.push({ key, ...(name !== undefined && { name }), block, line });
      }
    }
  };
  const all = entries(0);
  if (at < text.length) fail('a closing brace without its block');
  return all;
}
