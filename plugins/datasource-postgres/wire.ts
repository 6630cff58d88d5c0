/**
 * Keeps what the server sends small before it is parsed: a value of a gigabyte would otherwise be held whole, twice,
 * and turned into a string that the runtime cannot make. Values of rows are cut to what a result may hold anyway.
 */

/** Type byte and length of a message. */
const HEADER_BYTES = 5;
const NOTHING = Buffer.alloc(0);
const DATA_ROW = 0x44;
const ERROR = 0x45;
const NOTICE = 0x4e;
/** Errors and notices may quote a value of any size. */
const TEXT_LIMIT_BYTES = 64 * 1024;
/** No other message comes near this. */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

export interface WireLimits {
  /** Bytes kept of one value. */
  readonly maxValueBytes: number;
  /** Bytes kept of one row. */
  readonly maxRowBytes: number;
}

const UNLIMITED: WireLimits = { maxValueBytes: 2 ** 31 - 1, maxRowBytes: MESSAGE_LIMIT_BYTES };

/** Collects one long message as it arrives; `finish` gives its shortened form. */
interface Shortening {
  take(part: Buffer): void;
  finish(): Buffer;
}

/** The first bytes of an error's or notice's fields, closed as the protocol wants it. */
class ShortText implements Shortening {
  readonly #type: number;
  readonly #parts: Buffer[] = [];
  #left = TEXT_LIMIT_BYTES;

  constructor(type: number) {
    this.#type = type;
  }

  take(part: Buffer): void {
    if (this.#left <= 0) return;
    this.#parts.push(Buffer.from(part.subarray(0, this.#left)));
    this.#left -= part.length;
  }

  finish(): Buffer {
    return message(this.#type, [...this.#parts, Buffer.alloc(2)]);
  }
}

/** The values of a row, each cut. They are preceded by their count, and each by its length. */
class ShortRow implements Shortening {
  readonly #limits: WireLimits;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Bytes of a number that has not arrived whole: the count first, then lengths. */
  #number: Buffer = NOTHING;
  #numberBytes = 2;
  /** Bytes of the present value that are still to come, kept or not. */
  #valueLeft = 0;
  #keepLeft = 0;

  constructor(limits: WireLimits) {
    this.#limits = limits;
  }

  take(part: Buffer): void {
    let rest = part;
    while (rest.length > 0) {
      if (this.#valueLeft > 0) {
        const here = Math.min(this.#valueLeft, rest.length);
        const keep = Math.min(here, this.#keepLeft);
        if (keep > 0) this.#kept.push(Buffer.from(rest.subarray(0, keep)));
        this.#keepLeft -= keep;
        this.#valueLeft -= here;
        rest = rest.subarray(here);
        continue;
      }
      const missing = this.#numberBytes - this.#number.length;
      this.#number = Buffer.concat([this.#number, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#number.length === this.#numberBytes) this.#beginValue();
    }
  }

  finish(): Buffer {
    return message(DATA_ROW, this.#kept);
  }

  #beginValue(): void {
    if (this.#numberBytes === 2) {
      this.#kept.push(this.#number);
      this.#numberBytes = 4;
    } else {
      const length = this.#number.readInt32BE(0);
      const { maxValueBytes, maxRowBytes } = this.#limits;
      const keep = Math.min(length, maxValueBytes, Math.max(0, maxRowBytes - this.#keptBytes));
      const kept = Buffer.alloc(4);
      // -1 stands for null.
      kept.writeInt32BE(length < 0 ? length : keep);
      this.#kept.push(kept);
      this.#valueLeft = Math.max(0, length);
      this.#keepLeft = Math.max(0, keep);
      this.#keptBytes += this.#keepLeft;
    }
    this.#number = NOTHING;
  }
}

function message(type: number, parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = type;
  header.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, HEADER_BYTES - 1),
    1,
  );
  return Buffer.concat([header, ...parts]);
}

/** Between socket and parser. Messages that are short enough pass as they are, mostly without being copied. */
export class WireFilter {
  limits: WireLimits = UNLIMITED;
  /** Rows are dropped unread: no more of them are wanted. */
  dropRows = false;
  #header: Buffer = NOTHING;
  /** Bytes of the present message that are still to come. */
  #left = 0;
  #passing = false;
  #shortening: Shortening | undefined;

  /** Back to letting everything through that is no row. */
  clear(): void {
    this.limits = UNLIMITED;
    this.dropRows = false;
  }

  /** The bytes to parse in place of `chunk`, in order. Throws for a message that no server sends. */
  push(chunk: Buffer): Buffer[] {
    const out: Buffer[] = [];
    let passFrom = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const here = Math.min(this.#left, chunk.length - at);
        this.#left -= here;
        if (!this.#passing) {
          this.#shortening?.take(chunk.subarray(at, at + here));
          passFrom = at + here;
          if (this.#left === 0 && this.#shortening !== undefined) {
            out.push(this.#shortening.finish());
            this.#shortening = undefined;
          }
        }
        at += here;
        continue;
      }
      const carried = this.#header.length;
      const here = HEADER_BYTES - carried;
      if (chunk.length - at < here) break;
      const header = carried === 0 ? chunk : Buffer.concat([this.#header, chunk.subarray(at, at + here)]);
      const start = carried === 0 ? at : 0;
      this.#left = header.readUInt32BE(start + 1) - (HEADER_BYTES - 1);
      this.#begin(header[start] as number, this.#left);
      if (!this.#passing) {
        // What came before and passes, stays before.
        if (at > passFrom) out.push(chunk.subarray(passFrom, at));
        passFrom = at + here;
      } else if (carried > 0) {
        out.push(header);
        passFrom = at + here;
      }
      this.#header = NOTHING;
      at += here;
    }
    if (at > passFrom) out.push(chunk.subarray(passFrom, at));
    if (at < chunk.length) this.#header = Buffer.concat([this.#header, chunk.subarray(at)]);
    return out;
  }

  #begin(type: number, body: number): void {
    this.#shortening = undefined;
    if (type === DATA_ROW) {
      const { maxValueBytes, maxRowBytes } = this.limits;
      this.#passing = !this.dropRows && body <= Math.min(maxValueBytes, maxRowBytes);
      if (!this.#passing && !this.dropRows) this.#shortening = new ShortRow(this.limits);
      return;
    }
    const isText = type === ERROR || type === NOTICE;
    this.#passing = body <= (isText ? TEXT_LIMIT_BYTES : MESSAGE_LIMIT_BYTES);
    if (this.#passing) return;
    if (!isText) throw new Error('The server sent a message that is too long.');
    this.#shortening = new ShortText(type);
  }
}
