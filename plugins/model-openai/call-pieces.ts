/**
 * Puts the pieces of tool calls together, which servers cut, repeat and number in many ways: pieces that repeat all that
 * came before, names in several pieces or in each, several calls under one number. Reasoning that belongs to the calls
 * comes along.
 */
import { LONGEST_DOCUMENT_BYTES } from '../model-kit/index.ts';
import { detailsAsSignature, ReasoningDetails } from './reasoning-details.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call, or a piece of one. */
export interface Call {
  readonly index?: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
  readonly extra_content?: Json;
}

/** Calls of one answer: more than any reader takes. */
export const MOST_CALLS = 256;
/** Pieces of a call that are joined to see whether it is complete: joining more for each piece is quadratic work. */
const MOST_JOINED = 500;

const NAMELESS = 'tool';

interface Begun {
  readonly index: number | undefined;
  id: string | undefined;
  extra: Json | undefined;
  readonly names: string[];
  readonly arguments: string[];
}

export class CallPieces {
  #calls: Begun[] = [];
  /** The last call under each number and each id: an answer may have thousands of pieces. */
  readonly #byIndex = new Map<unknown, Begun>();
  readonly #byId = new Map<unknown, Begun>();
  readonly #details = new ReasoningDetails();
  #chars = 0;
  /** Whether any call was sent. */
  hasBegun = false;

  add({ index, id, function: { name, arguments: args }, extra_content: extra }: Call): void {
    this.hasBegun = true;
    this.#chars += args.length;
    // Far more than the agent takes: what is there is enough for it to see that.
    if (this.#chars > LONGEST_DOCUMENT_BYTES) return;
    // Some count the pieces instead of the calls: a piece of a call that is not complete has its id.
    const begun = id === undefined ? undefined : this.#byId.get(id);
    let call =
      index === undefined
        ? id === undefined
          ? this.#calls.at(-1)
          : begun
        : (this.#byIndex.get(index) ?? (begun !== undefined && !isWhole(begun) ? begun : undefined));
    if (call === undefined || (name !== undefined && isOther(call, id))) {
      if (this.#calls.length >= MOST_CALLS) return;
      call = { index, id, extra, names: [], arguments: [] };
      this.#calls.push(call);
      if (index !== undefined) this.#byIndex.set(index, call);
    }
    call.id ??= id;
    if (call.id !== undefined) this.#byId.set(call.id, call);
    call.extra ??= extra;
    if (name !== undefined) call.names.push(name);
    if (args !== '') call.arguments.push(args);
  }

  addDetails(details: readonly Json[]): void {
    this.#details.add(details);
  }

  /** The calls so far, each complete; they are not given again. */
  take(): Call[] {
    const details = this.#calls.length === 0 ? undefined : detailsAsSignature(this.#details.take());
    const calls = this.#calls.map((call, index): Call => {
      const extra = call.extra ?? (index === 0 ? details : undefined);
      // A call without a name may still be clear by its arguments.
      const name = nameOf(call.names) || (call.arguments.length > 0 ? NAMELESS : '');
      return {
        index,
        ...(call.id !== undefined && { id: call.id }),
        function: { ...(name !== '' && { name }), arguments: argumentsOf(call.arguments) },
        ...(extra !== undefined && { extra_content: extra }),
      };
    });
    this.#calls = [];
    this.#byIndex.clear();
    this.#byId.clear();
    return calls;
  }
}

/** A new id with a name begins another call, also where the server does not count; so does a name behind a whole call. */
function isOther(call: Begun, id: string | undefined): boolean {
  return id === undefined ? isWhole(call) : id !== call.id;
}

function isWhole({ arguments: pieces }: Begun): boolean {
  return pieces.length <= MOST_JOINED && pieces.at(-1)?.endsWith('}') === true && isJson(pieces.join(''));
}

/** Each piece repeats the one before and adds to it. */
const isCumulative = (pieces: readonly string[]) =>
  pieces.every((piece, index) => index === 0 || piece.startsWith(pieces[index - 1] ?? ''));

const nameOf = (names: readonly string[]) => (isCumulative(names) ? (names.at(-1) ?? '') : names.join(''));

function argumentsOf(pieces: readonly string[]): string {
  const joined = pieces.join('');
  return pieces.length > 1 && isCumulative(pieces) && !isJson(joined) ? (pieces.at(-1) ?? '') : joined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
