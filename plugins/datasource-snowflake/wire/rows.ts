/** Reads the rows of a partition while it arrives: one may be larger than what is worth holding. */
import { StringDecoder } from 'node:string_decoder';
import { OtherServer, PartTooLarge } from '../../datasource-kit/index.ts';
import { PART_LIMIT_BYTES } from './client.ts';

export type Row = readonly unknown[];

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  34, 44, 58, 91, 92, 93, 123, 125,
];
/** How deep one stands within `{"data": [[…]]}`. */
const [IN_OBJECT, IN_DATA, IN_ROW] = [1, 2, 3];

/** Rows, as many as each piece brings. Throws `OtherServer` for what is no such object, and `PartTooLarge`. */
export async function* rowsIn(body: AsyncIterable<Buffer>): AsyncGenerator<readonly Row[]> {
  const reader = new RowReader();
  const decoder = new StringDecoder('utf8');
  for await (const piece of body) {
    const rows = reader.read(decoder.write(piece));
    if (rows.length > 0) yield rows;
  }
  if (!reader.isWhole) throw new OtherServer();
}

/** Finds where rows begin and end, and leaves what is in them to `JSON.parse`. Each piece is looked through once. */
class RowReader {
  #piece = '';
  #at = 0;
  #depth = 0;
  #isInText = false;
  /** Of the object's own texts: where in this piece the one begins that is read now, and what earlier ones had of it. */
  #textAt = 0;
  #textBefore = '';
  /** The last text of the object itself, and the key that it was. */
  #last = '';
  #key = '';
  /** Where in this piece the first row begins or goes on, the last one ends that is whole, and the last one begins. */
  #first = -1;
  #end = -1;
  #open = -1;
  /** What earlier pieces had of the row that is read now. */
  #rowBefore = '';
  #isWhole = false;

  /** Whether the object has ended and had rows, if only none. */
  get isWhole(): boolean {
    return this.#isWhole && this.#depth === 0;
  }

  get #isInRow(): boolean {
    return this.#depth >= IN_ROW && this.#key === 'data';
  }

  read(piece: string): readonly Row[] {
    this.#piece = piece;
    this.#textAt = 0;
    this.#first = this.#isInRow ? 0 : -1;
    this.#end = -1;
    for (; this.#at < piece.length; this.#at += 1) {
      const code = piece.charCodeAt(this.#at);
      if (this.#isInText) this.#inText(code);
      else if (code === QUOTE) {
        this.#isInText = true;
        this.#textAt = this.#at + 1;
        this.#textBefore = '';
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) this.#opened(code);
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) this.#closed();
      else if (this.#depth === IN_OBJECT && code === COLON) this.#key = this.#last;
      else if (this.#depth === IN_OBJECT && code === COMMA) this.#key = '';
    }
    // One that is escaped may be in the next piece.
    this.#at -= piece.length;
    return this.#taken();
  }

  /** Inside a text all but its end is skipped. */
  #inText(code: number): void {
    if (code === BACKSLASH) this.#at += 1;
    else if (code === QUOTE) {
      this.#isInText = false;
      if (this.#depth === IN_OBJECT) this.#last = this.#textBefore + this.#piece.slice(this.#textAt, this.#at);
    }
  }

  #opened(code: number): void {
    this.#depth += 1;
    if (this.#depth === IN_OBJECT && code !== OPEN_OBJECT) throw new OtherServer();
    if (this.#depth !== IN_ROW || !this.#isInRow) return;
    this.#open = this.#at;
    if (this.#first < 0) this.#first = this.#at;
  }

  #closed(): void {
    if (this.#depth === IN_ROW && this.#isInRow) this.#end = this.#at + 1;
    if (this.#depth === IN_DATA && this.#key === 'data') this.#isWhole = true;
    this.#depth -= 1;
    if (this.#depth < 0) throw new OtherServer();
  }

  /** The rows that are whole; the rest of the piece is kept as far as it is needed. */
  #taken(): readonly Row[] {
    let rows: readonly Row[] = [];
    if (this.#end >= 0) {
      rows = parsed(this.#rowBefore + this.#piece.slice(this.#first, this.#end));
      this.#rowBefore = this.#isInRow ? this.#piece.slice(this.#open) : '';
    } else if (this.#first >= 0) this.#rowBefore += this.#piece.slice(this.#first);
    if (this.#isInText && this.#depth === IN_OBJECT) this.#textBefore += this.#piece.slice(this.#textAt);
    if (this.#rowBefore.length + this.#textBefore.length > PART_LIMIT_BYTES) throw new PartTooLarge(PART_LIMIT_BYTES);
    return rows;
  }
}

function parsed(rows: string): readonly Row[] {
  try {
    return JSON.parse(`[${rows}]`) as readonly Row[];
  } catch {
    throw new OtherServer();
  }
}
