/** Reads the tool calls that a model wrote into its text, whichever markup it used. */
import { callsIn, type WrittenCall } from './call-shapes.ts';
import { withoutEntities } from './entities.ts';
import { readKeywordArguments, readValue } from './lenient-value.ts';
import type { FindTool } from './tool-names.ts';

export interface WrittenCalls {
  readonly calls: readonly WrittenCall[];
  /** Where the last call ends. */
  readonly end: number;
  /** The text without the calls. */
  readonly rest: string;
  /** A closing sign is missing, so that something of them may be. */
  readonly isOpen: boolean;
}

/** Far more than any reader of calls takes. */
const MAX_WRITTEN_CALLS = 256;
/** How far in front of its arguments the name of a tool is looked for. */
const NAME_CHARS = 160;

/** Collects calls and the text between them. */
class Found {
  readonly calls: WrittenCall[] = [];
  readonly #text: string;
  readonly #rest: string[] = [];
  #isOpen = false;
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isFull(): boolean {
    return this.calls.length >= MAX_WRITTEN_CALLS;
  }

  add(calls: readonly WrittenCall[], start: number, end: number, isOpen = false): void {
    this.calls.push(...calls);
    this.#isOpen ||= isOpen;
    this.#rest.push(this.#text.slice(this.end, Math.max(this.end, start)));
    this.end = end;
  }

  done(): WrittenCalls {
    const rest = `${this.#rest.join('\n')}\n${this.#text.slice(this.end)}`;
    return { calls: this.calls, end: this.end, rest, isOpen: this.#isOpen };
  }
}

/**
 * Reads the calls in a text. `isStrict`: the text may just as well be data, so that only JSON and Python calls of offered
 * tools count. Takes linear time.
 */
export function writtenCalls(text: string, find: FindTool, isStrict: boolean): WrittenCalls {
  const readers = [elementCalls, jsonCalls, pythonCalls];
  for (const read of readers) {
    const found = new Found(text);
    read(text, find, isStrict, found);
    if (found.calls.length > 0) return found.done();
  }
  return { calls: [], end: 0, rest: text, isOpen: false };
}

const PREFIX = '[^<>\\s/]{0,20}?';
/** `<invoke name="x">`, `<function=x>`, `<function name="x">`, with any prefix; or the element of one tool. */
const CALL_ELEMENT = new RegExp(
  `<${PREFIX}(?:invoke|function|function_call|tool|tool_call|tool_use)(?:\\s+name)?\\s*=\\s*["']?([\\w.:-]{1,80})["']?\\s*/?>|<(?:(?:tool_)?name|tool|action)>\\s*([\\w.:-]{1,80})\\s*</(?:(?:tool_)?name|tool|action)>\\s*<(?:parameters|arguments|args|(?:tool_|action_)?input)>|<tool_call>\\s*([\\w.:-]{1,80})\\s*(?=<arg_key>)|<([A-Za-z][\\w.-]{0,63})>`,
  'g',
);
const PARAMETER = new RegExp(
  `<${PREFIX}(?:parameter|param|argument|arg)(?:\\s+name)?\\s*=\\s*["']?([\\w.-]{1,80})["']?[^<>]{0,60}>|<arg_key>\\s*([\\w.-]{1,80})\\s*</arg_key>\\s*<arg_value>`,
  'g',
);
const PARAMETER_END = new RegExp(
  `</${PREFIX}(?:parameter|param|argument|arg|arg_value|function|invoke|tool_call)(?:=[^<>]{0,80})?>|<(?:parameter|function)=|<arg_key>`,
  'g',
);

/** Calls as elements of XML. */
function elementCalls(text: string, find: FindTool, isStrict: boolean, found: Found): void {
  const openings = [...text.matchAll(CALL_ELEMENT)].filter(
    ([, named, titled, keyed, element]) =>
      (named ?? titled ?? keyed) !== undefined || (element !== undefined && find(element) !== undefined),
  );
  for (const [index, opening] of openings.entries()) {
    if (found.isFull) return;
    const written = opening[1] ?? opening[2] ?? opening[3] ?? opening[4] ?? '';
    const name = find(written);
    if (name === undefined && isStrict) continue;
    const start = opening.index + opening[0].length;
    const body = text.slice(start, openings[index + 1]?.index ?? text.length);
    const { args, end, isOpen } = opening[4] === undefined ? argumentsIn(body) : childrenOf(body, opening[4]);
    if (args !== undefined) found.add([{ name: name ?? written, args }], opening.index, start + end, isOpen);
  }
}

interface ReadArguments {
  readonly args: unknown;
  readonly end: number;
  readonly isOpen: boolean;
}

function argumentsIn(body: string): ReadArguments {
  const parameters = [...body.matchAll(PARAMETER)];
  if (parameters.length === 0) {
    const { found, end, isOpen } = readValue(body);
    if (found !== undefined) return { args: found.value, end, isOpen };
    const close = /^\s*<\//.exec(body);
    return close === null ? childrenOf(body, '') : { args: {}, end: close[0].length, isOpen: false };
  }
  const args: [string, string][] = [];
  let end = 0;
  let areClosed = true;
  for (const [index, parameter] of parameters.entries()) {
    const start = parameter.index + parameter[0].length;
    PARAMETER_END.lastIndex = start;
    const close: RegExpExecArray | null = areClosed ? PARAMETER_END.exec(body) : null;
    areClosed = close !== null;
    end = close?.index ?? parameters[index + 1]?.index ?? body.length;
    args.push([parameter[1] ?? parameter[2] ?? '', withoutBreaks(body.slice(start, end))]);
  }
  return { args: Object.fromEntries(args), end, isOpen: !areClosed };
}

/** `<executeSQL><sql>…</sql></executeSQL>`: the arguments are the child elements, or a value. */
function childrenOf(body: string, element: string): ReadArguments {
  const close = element === '' ? -1 : body.indexOf(`</${element}`);
  const inside = close === -1 ? body : body.slice(0, close);
  const args: [string, string][] = [];
  const opening = /<([A-Za-z_][\w-]{0,63})>/g;
  for (let child = opening.exec(inside); child !== null; child = opening.exec(inside)) {
    const end = inside.indexOf(`</${child[1]}>`, opening.lastIndex);
    if (end === -1) break;
    args.push([child[1] ?? '', withoutBreaks(inside.slice(opening.lastIndex, end))]);
    opening.lastIndex = end + 1;
  }
  const { length: end } = inside;
  const isOpen = close === -1;
  if (args.length > 0) return { args: Object.fromEntries(args), end, isOpen };
  const { found } = readValue(inside);
  return { args: found?.value ?? (element === '' ? undefined : inside.trim() || undefined), end, isOpen };
}

/** Templates put a line break after the opening and before the closing tag; some models escape as XML does. */
function withoutBreaks(value: string): string {
  const inside = /^\s*<!\[CDATA\[([\s\S]*?)(?:\]\]>\s*)?$/.exec(value)?.[1] ?? value;
  const text = inside.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  // A bare sign shows that nothing is escaped.
  return inside === value && !/[<>]/.test(text) ? withoutEntities(text) : text;
}

/** What stands between the name of a tool and its arguments. */
const BETWEEN =
  /<[|｜][^<>]{1,40}>|<function_sep>|\[CALL_ID\]\w{0,40}|\[ARGS\]|Action Input|Arguments|\b(?:json|code|with)\b|`+|[\s:=>*({-]+$/gi;

/** Calls as JSON, or as a name in front of JSON. */
function jsonCalls(text: string, find: FindTool, isStrict: boolean, found: Found): void {
  // Tokens such as `[TOOL_CALLS]` begin no list.
  const opening = /\{|\[(?!\/?[A-Z_]{3,30}\])/g;
  for (let match = opening.exec(text); match !== null && !found.isFull; match = opening.exec(text)) {
    const start = match.index;
    const { found: read, end, isOpen } = readValue(text, start);
    opening.lastIndex = Math.max(start + 1, end);
    if (read === undefined) continue;
    const own = callsIn(read.value, find, isStrict);
    const before =
      own.length > 0
        ? undefined
        : nameBefore(text.slice(Math.max(found.end, start - NAME_CHARS), start), find, read.value);
    if (own.length > 0) found.add(own, start, end, isOpen);
    else if (before !== undefined && !Array.isArray(read.value)) {
      found.add([{ name: before.name, args: read.value }], start - before.length, end, isOpen);
    }
  }
}

/** The offered tool that a text in front of arguments ends with, and how long before the end its name begins. */
function nameBefore(
  text: string,
  find: FindTool,
  args: unknown,
): { readonly name: string; readonly length: number } | undefined {
  const cleaned = text.replace(BETWEEN, ' ').trimEnd();
  const written = /\bto=([\w.:-]{1,80})[^=]*$/.exec(cleaned)?.[1] ?? /[\w.:/-]{1,80}$/.exec(cleaned)?.[0] ?? '';
  const name = find(written.replace(/^call:/, ''), args);
  return name === undefined ? undefined : { name, length: text.length - text.lastIndexOf(written) };
}

/** Calls as in Python: `executeSQL(sql="…")`. */
function pythonCalls(text: string, find: FindTool, _: boolean, found: Found): void {
  for (let at = text.indexOf('('); at !== -1 && !found.isFull; at = text.indexOf('(', at)) {
    const written = /[A-Za-z_][\w.]*$/.exec(text.slice(Math.max(found.end, at - 80), at).trimEnd())?.[0] ?? '';
    const name = written === '' ? undefined : find(written);
    const unread = { found: undefined, end: at, isOpen: false };
    const { found: read, end, isOpen } = name === undefined ? unread : readKeywordArguments(text, at);
    if (name !== undefined && read !== undefined) {
      const args = read.value as Record<string, unknown>;
      found.add([{ name, args: Object.hasOwn(args, '') ? args[''] : args }], at - written.length, end, isOpen);
    }
    at = Math.max(at + 1, end);
  }
}
