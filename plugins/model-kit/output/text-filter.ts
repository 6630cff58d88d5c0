/**
 * Separates a model's text, while it arrives, into what the user sees, its thoughts, and tool calls written as text. A
 * text is held back only as long as it may be markup; see README.md, "Models that write markup".
 */
import type { WrittenCall } from './call-shapes.ts';
import { heldAnswer, heldMeaning } from './held-text.ts';
import { BARE_ANSWER, BARE_CALL, BARE_THOUGHTS, BEGINNING_CHARS, lineBeginning } from './line-beginning.ts';
import { MAX_MARKUP_CHARS, type Markup, markupAt } from './markup.ts';
import type { OfferedTools } from './offered-tools.ts';
import { Opening } from './opening.ts';

/** A piece of an answer as it arrives. */
export interface Delta {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** What is known of a text at its end. */
export interface FilteredEnd {
  readonly deltas: readonly Delta[];
  readonly calls: readonly WrittenCall[];
  /** A call was written that cannot be read. */
  readonly hasUnreadableCall: boolean;
  /** The calls are not closed, so that more of them may be missing. */
  readonly isOpen: boolean;
}

/** What is known of a text before it arrives. */
export interface Expectations {
  /** The model has written thoughts without an opening tag before. */
  readonly thoughts?: boolean;
  /** Nothing was looked up yet, so that a reply of nothing but a query is meant to be run. */
  readonly query?: boolean;
}

const HEADER_CHARS = 300;

const ROLE = /^\s*(?:assistant\s*\n\s*)?/;
const BLANK = /[^\S\n]*/y;
const INTERESTING = /[<[◁`\n]/g;

export class TextFilter {
  readonly #tools: OfferedTools;
  readonly #expects: Expectations;
  #mode: 'text' | 'thought' | 'header' | 'held' | 'over' = 'text';
  #rest = '';
  #out: Delta[] = [];
  #isFirst = true;
  /** Whether the line so far has text; inside how many backquotes it stands; and whether the text is inside a fence. */
  #lineHasText = false;
  #isLineStart = true;
  #inCode = false;
  #inFence = false;
  /** A tag was named in a sentence. */
  #hasMention = false;
  /** Thoughts began inside thoughts, so that more than one end may follow. */
  #isNested = false;
  /** Ends thoughts that began without control tokens. */
  #isBare = false;
  /** What ends thoughts that are no element: the end of a fence. */
  #closing: string | undefined;
  readonly #opening: Opening;
  #trimsNext = false;
  /** What may be the name of a role behind control tokens. */
  #role = '';
  /** The character before the unread text. */
  #before = '';
  #hasShown = false;
  readonly #held: string[] = [];
  /** The held text has no markup, so that it may just as well be data. */
  #isHeldBare = false;
  /** The held markup is a tag inside a line, as in a sentence about it. */
  #isHeldInline = false;
  /** Thoughts ended that had no opening tag. */
  hasStrayEnd = false;

  constructor(tools: OfferedTools, isStreamed: boolean, expects: Expectations = {}) {
    this.#tools = tools;
    this.#expects = expects;
    this.#opening = new Opening(isStreamed, expects.thoughts === true);
  }

  /** Takes the next piece; returns what has become certain. */
  push(piece: string): Delta[] {
    if (this.#mode === 'held') this.#held.push(piece);
    else if (this.#mode !== 'over') {
      this.#rest += piece;
      this.#read(false);
    }
    return this.#taken();
  }

  /** The end of the text. `isCut`: it is incomplete, so that its calls are not read. */
  end(isCut: boolean): FilteredEnd {
    if (this.#mode !== 'held' && this.#mode !== 'over') this.#read(true);
    const { calls, hasUnreadableCall, isOpen } = this.#mode === 'held' ? this.#heldEnd(isCut) : NO_CALLS;
    this.#trimsNext = false;
    this.#show(this.#role);
    if (this.#opening.isNamedThought()) {
      // Without a label of the answer the first paragraph is the thought.
      const [thought = '', ...rest] = this.#opening.close().split(calls.length > 0 ? /$^/ : /(\n\s*\n)/);
      this.#think(thought);
      this.#shown(rest.join('').trimStart());
    }
    this.#flushOpening();
    return { deltas: this.#taken(), calls, hasUnreadableCall, isOpen };
  }

  #taken(): Delta[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #read(isLast: boolean): void {
    for (;;) {
      const { length } = this.#rest;
      const mode = this.#mode;
      if (mode === 'text') this.#readText(isLast);
      else if (mode === 'thought') this.#readThought(isLast);
      else if (mode === 'header') this.#readHeader(isLast);
      else return;
      if (this.#rest === '' || (this.#mode === mode && this.#rest.length === length)) return;
      if (this.#mode === mode && !isLast) return;
    }
  }

  /** Reads up to a change of mode, or to what may be the beginning of markup. */
  #readText(isLast: boolean): void {
    const text = this.#rest;
    let at = 0;
    while (at < text.length) {
      const first = this.#isLineStart ? firstOnLine(text, at) : undefined;
      if (first !== undefined && !this.#inFence) {
        const isFirst = this.#isFirst;
        const known = { isFirst, isLast, isQuery: this.#expects.query === true };
        const { verdict, length } = lineBeginning(text.slice(at, at + BEGINNING_CHARS), this.#tools, known);
        if (verdict === 'partial') break;
        this.#isFirst = false;
        if (verdict !== 'text' && (verdict !== 'final' || isFirst || this.#opening.isNamedThought(text.slice(0, at)))) {
          this.#show(text.slice(0, at));
          if (verdict === 'call') this.#hold(text.slice(at), true, false);
          else this.#begin(verdict, text.slice(at + length));
          return;
        }
      }
      if (first !== undefined) this.#isLineStart = false;
      INTERESTING.lastIndex = at;
      const next = INTERESTING.exec(text)?.index ?? text.length;
      if (next > at && text.slice(at, next).trim() !== '') this.#lineHasText = true;
      at = next;
      const sign = text[at];
      if (sign === undefined) break;
      if (sign === '\n') {
        this.#isLineStart = true;
        this.#lineHasText = false;
        this.#inCode = false;
        at += 1;
      } else if (sign === '`') {
        const run = /`+/y;
        run.lastIndex = at;
        const { length } = run.exec(text)?.[0] ?? '`';
        if (at + length === text.length && !isLast && length <= MAX_MARKUP_CHARS) break;
        if (length >= 3 && !this.#lineHasText) this.#inFence = !this.#inFence;
        else this.#inCode = !this.#inCode;
        this.#lineHasText = true;
        at += length;
      } else {
        const found =
          this.#inFence || this.#inCode || /["'“‘«]/.test(at === 0 ? this.#before : (text[at - 1] ?? ''))
            ? undefined
            : markupAt(text, at, this.#tools.find, isLast);
        const isMention = typeof found === 'object' && this.#isMention(found, text, at, isLast);
        if (found === 'partial' || isMention === 'partial') break;
        if (found === undefined || isMention) {
          this.#lineHasText = true;
          at += 1;
          continue;
        }
        this.#show(text.slice(0, at));
        this.#meet(found, text.slice(at));
        return;
      }
    }
    this.#show(text.slice(0, at));
    this.#before = text[at - 1] ?? this.#before;
    this.#rest = text.slice(at);
  }

  /** Whether a tag is named in a sentence. The end of thoughts is it only where their beginning was. */
  #isMention({ meaning, text: written }: Markup, text: string, at: number, isLast: boolean): boolean | 'partial' {
    const isSentence = this.#lineHasText && /\s/.test(at === 0 ? this.#before : (text[at - 1] ?? ''));
    if (!isSentence || !MENTIONED.has(meaning) || !/^[<[]\/?[A-Za-z]/.test(written)) return false;
    if (meaning === 'thought-end' && !this.#hasMention) return false;
    const after = text.slice(at + written.length, at + written.length + 2);
    if (!isLast && /^\s?$/.test(after)) return 'partial';
    if (!/^(?:[.,;:!?)]| \p{L})/u.test(after)) return false;
    this.#hasMention = true;
    return true;
  }

  /** Reads on behind the beginning of a line that is no text itself. */
  #begin(verdict: 'fenced' | 'final' | typeof BARE_THOUGHTS | typeof BARE_ANSWER, rest: string): void {
    if (verdict === 'final') {
      if (this.#opening.isNamedThought()) this.#think(this.#opening.close());
      this.#afterThought();
    } else if (verdict !== BARE_ANSWER) {
      this.#flushOpening();
      this.#mode = 'thought';
    }
    this.#closing = verdict === 'fenced' ? '\n```' : undefined;
    this.#isBare = verdict === BARE_THOUGHTS || verdict === BARE_ANSWER;
    this.#rest = rest;
  }

  /** Acts on markup at the beginning of `text`. */
  #meet({ meaning, text: written, closing }: Markup, text: string): void {
    this.#rest = text.slice(written.length);
    switch (meaning) {
      case 'call':
        this.#hold(text, false, this.#lineHasText && /^<[A-Za-z]/.test(written));
        return;
      case 'thought':
        this.#flushOpening();
        this.#mode = 'thought';
        this.#closing = closing;
        return;
      case 'thought-end':
        this.#endWithoutBeginning();
        return;
      case 'header':
        this.#mode = 'header';
        return;
      case 'end':
        // In front of an answer it is the beginning of a message.
        if (this.#hasShown || !this.#opening.isEmpty) this.#mode = 'over';
        this.#trimsNext = true;
        return;
      default:
        this.#trimsNext ||= !this.#hasShown;
    }
  }

  /** What came before were thoughts, as far as it has not been shown. */
  #endWithoutBeginning(): void {
    this.hasStrayEnd = true;
    this.#think(this.#opening.close());
    this.#afterThought();
  }

  /** Holds what follows back: it is thoughts, too, if their end comes once more. */
  #expectAnotherEnd(): void {
    this.#isNested = false;
    this.#opening.restart();
  }

  #afterThought(): void {
    this.#mode = 'text';
    this.#trimsNext = true;
    this.#isLineStart = true;
    this.#lineHasText = false;
    this.#inCode = false;
    this.#closing = undefined;
  }

  #readThought(isLast: boolean): void {
    const text = this.#rest;
    if (this.#closing !== undefined) {
      this.#readUpTo(this.#closing, isLast);
      return;
    }
    const next = /[<[◁]|assistant(?:final|commentary to=)/g;
    for (let match = next.exec(text); match !== null; match = next.exec(text)) {
      const at = match.index;
      if (match[0].length > 1) {
        if (!this.#isBare) continue;
        this.#think(text.slice(0, at));
        this.#afterThought();
        this.#rest = text.slice(at + (match[0] === BARE_ANSWER ? BARE_ANSWER.length : 'assistant'.length));
        if (match[0] === BARE_CALL) this.#hold(this.#rest, false, false);
        return;
      }
      const found = markupAt(text, at, this.#tools.find, isLast);
      if (found === 'partial') {
        this.#think(text.slice(0, at));
        this.#rest = text.slice(at);
        return;
      }
      if (found?.meaning === 'thought') this.#isNested = true;
      if (found === undefined || !ENDS_THOUGHT.has(found.meaning)) continue;
      this.#think(text.slice(0, at));
      this.#afterThought();
      if (found.meaning === 'thought-end' && this.#isNested) this.#expectAnotherEnd();
      if (found.meaning === 'header') this.#mode = 'header';
      this.#rest = text.slice(at + found.text.length);
      return;
    }
    const held = isLast || !this.#isBare ? 0 : BARE_CALL.length;
    this.#think(text.slice(0, Math.max(0, text.length - held)));
    this.#rest = text.slice(Math.max(0, text.length - held));
  }

  /** Reads thoughts whose end is a certain text. */
  #readUpTo(closing: string, isLast: boolean): void {
    const text = this.#rest;
    const end = text.indexOf(closing);
    if (end !== -1) {
      this.#think(text.slice(0, end));
      this.#afterThought();
      this.#rest = text.slice(end + closing.length);
      return;
    }
    const certain = isLast ? text.length : Math.max(0, text.length - closing.length + 1);
    this.#think(text.slice(0, certain));
    this.#rest = text.slice(certain);
  }

  /** Reads what stands between `<|start|>` or `<|channel|>` and `<|message|>`. */
  #readHeader(isLast: boolean): void {
    const text = this.#rest;
    const begun = text.slice(0, HEADER_CHARS);
    const other = /<\|(?:end|return|start)\|>/.exec(begun)?.index;
    const message = begun.indexOf('<|message|>');
    const end = other !== undefined && other < message ? -1 : message;
    const header = end === -1 ? begun : begun.slice(0, end);
    if (/^\s*thought\n/.test(begun)) {
      // Gemma has no mark between the name of the channel and its text.
      this.#rest = text.trimStart().slice('thought\n'.length);
      this.#afterThought();
      this.#mode = 'thought';
    } else if (/to=\S+/.test(header) && (end !== -1 || header.includes('{'))) {
      this.#hold(text, false, false);
    } else if (end !== -1) {
      this.#rest = text.slice(end + '<|message|>'.length);
      this.#afterThought();
      if (header.includes('analysis')) this.#mode = 'thought';
      else if (this.#hasShown || !this.#opening.isEmpty) this.#shown(this.#opening.add('\n\n'));
    } else if (isLast || text.length >= HEADER_CHARS || other !== undefined) {
      this.#afterThought();
      const [name = '', channel = ''] = /^\s*(?:assistant)?\s*(analysis|commentary|final)?\b\s*/.exec(text) ?? [];
      this.#rest = text.slice(name.length);
      if (channel === 'analysis' && this.#rest !== '') this.#mode = 'thought';
    }
  }

  #hold(text: string, isBare: boolean, isInline: boolean): void {
    this.#mode = 'held';
    this.#rest = '';
    this.#held.push(text);
    this.#isHeldBare = isBare;
    this.#isHeldInline = isInline;
  }

  #heldEnd(isCut: boolean): Omit<FilteredEnd, 'deltas'> {
    const held = { text: this.#held.join(''), isBare: this.#isHeldBare, isInline: this.#isHeldInline };
    const meaning = heldMeaning(held, this.#tools.find, this.#expects.query === true);
    if (meaning === 'text') this.#show(heldAnswer(held.text) ?? held.text);
    if (isCut || meaning === 'text') return NO_CALLS;
    if (meaning === 'unreadable') return { calls: [], hasUnreadableCall: true, isOpen: true };
    return { ...meaning, hasUnreadableCall: false };
  }

  #think(text: string): void {
    if (text !== '') this.#out.push({ type: 'reasoning', text });
  }

  /** Shows a text, unless it may still turn out to be thoughts. */
  #show(written: string): void {
    const text = this.#trimsNext ? `${this.#role}${written}`.replace(ROLE, '') : written;
    if (this.#trimsNext && 'assistant\n'.startsWith(text)) {
      this.#role = text;
      return;
    }
    this.#trimsNext = false;
    this.#shown(this.#opening.add(text));
  }

  #flushOpening(): void {
    this.#shown(this.#opening.close());
  }

  #shown(text: string): void {
    if (text === '') return;
    this.#hasShown = true;
    this.#out.push({ type: 'text', text });
  }
}

/** The first character of a line that is not white space; `undefined` when the line is empty so far. */
function firstOnLine(text: string, at: number): string | undefined {
  BLANK.lastIndex = at;
  BLANK.test(text);
  const first = text[BLANK.lastIndex];
  return first === '\n' ? undefined : first;
}

/** What a sentence may name; a call is told apart when it is read. */
const MENTIONED: ReadonlySet<string> = new Set(['thought', 'thought-end', 'wrapper', 'end']);
const NO_CALLS = { calls: [], hasUnreadableCall: false, isOpen: false } as const;
const ENDS_THOUGHT: ReadonlySet<string> = new Set(['thought-end', 'end', 'break', 'header']);
