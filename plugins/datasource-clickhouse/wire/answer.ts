/**
 * Reads answers in the format JSONCompactEachRowWithProgress: a line with the columns, a line for each row, and between
 * them how far the server is.
 */
import { isUtf8 } from 'node:buffer';
import { type Cell, parseJson, toCell } from '../../datasource-kit/index.ts';
import { faultOf, OtherFormat } from './fault.ts';

export interface AnswerColumn {
  readonly name: string;
  readonly type: string;
}

/** One line: the columns, a row, or nothing that is of interest. */
export interface AnswerLine {
  readonly meta?: readonly AnswerColumn[];
  readonly row?: readonly Cell[];
}

interface Line {
  readonly meta?: readonly AnswerColumn[];
  readonly row?: readonly Cell[];
  readonly totals?: readonly Cell[];
  readonly exception?: string;
}

const BRACE = '{'.charCodeAt(0);
/** What is said of an error in the middle of an answer. */
const FAULT_LIMIT_BYTES = 64 * 1024;

const parse = (text: string) => parseJson(text) as Line;

/** Texts of ClickHouse are bytes: what is no UTF-8 is given as base64 in lists and objects, and as bytes by itself. */
export const bytesOf = (text: string): Buffer =>
  // The server writes two line ends of Unicode as escapes, whatever stands around them.
  Buffer.concat(
    [...text.matchAll(/[\0-\xff]+|[^\0-\xff]+/g)].map(([part]) => {
      return Buffer.from(part, part.charCodeAt(0) > 0xff ? 'utf8' : 'latin1');
    }),
  );

/** Bytes that are no text, until their column's type says how they are shown. */
export class RawBytes {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

function withoutLatin1(value: unknown): unknown {
  if (typeof value === 'string') {
    const bytes = bytesOf(value);
    return isUtf8(bytes) ? bytes.toString('utf8') : new RawBytes(bytes);
  }
  if (Array.isArray(value)) return value.map(withoutLatin1);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [String(named(key)), withoutLatin1(item)]));
}

function named(key: string): Cell {
  const read = withoutLatin1(key);
  return read instanceof RawBytes ? toCell(read.bytes) : (read as string);
}

/**
 * Reads the lines of one answer; the totals are its last row. Throws `ServerFault` for an error of the server, wherever
 * it stands, and `OtherFormat` for what no ClickHouse sends.
 */
export async function* readAnswer(lines: AsyncIterable<Buffer>): AsyncGenerator<AnswerLine> {
  let totals: readonly Cell[] | undefined;
  let foreign = '';
  for await (const line of lines) {
    if (foreign !== '' || line[0] !== BRACE) {
      foreign += `${line.toString('utf8', 0, FAULT_LIMIT_BYTES)}\n`;
      if (foreign.length > FAULT_LIMIT_BYTES) break;
      continue;
    }
    const read = parsed(line);
    if (read.exception !== undefined) throw faultOf(read.exception) ?? new OtherFormat();
    if (read.totals !== undefined) totals = read.totals;
    else if (read.meta !== undefined) yield { meta: read.meta.map(({ name, type }) => ({ name: textOf(name), type })) };
    else if (read.row !== undefined) yield read;
  }
  if (foreign !== '') throw faultOf(foreign) ?? new OtherFormat();
  if (totals !== undefined) yield { row: totals };
}

/** A column without a name is called by its expression, whose texts may be bytes. */
const textOf = (name: unknown) => (name instanceof RawBytes ? name.bytes.toString('utf8') : String(name));

function parsed(line: Buffer): Line {
  try {
    return isUtf8(line) ? parse(line.toString('utf8')) : (withoutLatin1(parse(line.toString('latin1'))) as Line);
  } catch {
    throw new OtherFormat();
  }
}
