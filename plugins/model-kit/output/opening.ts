/** Holds the beginning of a text back while it may be thoughts whose opening tag is part of the prompt. */

/** Longest beginning that is held back because it reads like thoughts. */
const MAX_OPENING_CHARS = 16 * 1024;

/** How such thoughts begin. */
const BEGINNINGS = [
  'think>',
  'Okay',
  'Ok,',
  'OK,',
  'Alright',
  'Hmm',
  'Got it',
  'Let me',
  "Let's",
  'First,',
  'Wait',
  'The user',
  'The question',
  'This question',
  'User',
  'They want',
  'They ask',
  'He wants',
  'She wants',
  'We need',
  'We should',
  'We have',
  'We must',
  'We can',
  'We are',
  'I need',
  'I should',
  'I have to',
  'I think',
  'I will',
  "I'll",
  "I'm",
  'I am',
  'I must',
  'My task',
  'So,',
  'So the',
  'Now,',
  'Now I',
  'Need to',
  'To answer',
  'To find',
  'To get',
  'To determine',
  'It seems',
  'It looks',
  'Thought:',
  'Thoughts:',
  'Thought process',
  '**Thought',
  '**Think',
  '好的',
  '好，',
  '嗯',
  '用户',
  '首先',
  '我需要',
];
/** `Counting the orders …`: an answer rarely begins with what is being done. */
const DOING = /^[A-Z][a-z]{1,14}ing(?![a-z])/;
const WORD_OF_DOING = /^[A-Z][a-z]{0,17}$/;

/** Whether a text that begins like this may be thoughts; `maybe` when more of it decides. */
function readsLikeThoughts(text: string): boolean | 'maybe' {
  if (DOING.test(text) || BEGINNINGS.some((beginning) => text.startsWith(beginning))) return true;
  return (WORD_OF_DOING.test(text) || BEGINNINGS.some((beginning) => beginning.startsWith(text))) && 'maybe';
}

export class Opening {
  /** `undefined` once it is decided. */
  #pieces: string[] | undefined = [];
  #chars = 0;
  #isHeld: boolean;
  readonly #isStreamed: boolean;

  constructor(isStreamed: boolean, expectsThoughts: boolean) {
    this.#isStreamed = isStreamed;
    this.#isHeld = !isStreamed || expectsThoughts;
  }

  get isEmpty(): boolean {
    return this.#chars === 0;
  }

  /** Whether it is, with what follows it, what agents of another kind are trained to write in front of an action. */
  isNamedThought(more = ''): boolean {
    return (
      this.#pieces !== undefined &&
      /^[\s*]*(?:Thoughts?|Thinking)(?: process)?[\s*]*:/i.test(`${this.#pieces.join('')}${more}`.slice(0, 40))
    );
  }

  /** Takes a piece; returns what is certain to be no thought. */
  add(text: string): string {
    if (this.#pieces === undefined) return text;
    this.#pieces.push(text);
    this.#chars += text.length;
    const isLong = this.#chars > MAX_OPENING_CHARS;
    if (!this.#isStreamed || (this.#isHeld && !isLong)) return '';
    const verdict = !isLong && readsLikeThoughts(this.#pieces.join('').trimStart());
    if (verdict === true) this.#isHeld = true;
    return verdict === false ? this.close() : '';
  }

  /** Ends the holding; returns what was held. */
  close(): string {
    const text = this.#pieces?.join('') ?? '';
    this.#pieces = undefined;
    this.#chars = 0;
    return text;
  }

  /** Holds what follows as if the text began anew. */
  restart(): void {
    this.#pieces = [];
    this.#chars = 0;
    this.#isHeld = true;
  }
}
