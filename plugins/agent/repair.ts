/** Keeps how a question goes on after replies that cannot be used, and changes the following prompts accordingly. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { holdsQuery, type ModelAnswer, type Recovery, recoveryOf } from '../model-kit/index.ts';

type SystemMessage = LanguageModelV4Message & { readonly role: 'system' };

/** How often a model may be asked again for what it wrote in a form that cannot be read. */
const MAX_REWRITES = 2;

const MAX_PAUSES = 2;

/** A reply that only says what the model is about to do. */
const ANNOUNCEMENT =
  /\b(?:I(?:'ll| will| am going to|'m going to| need to)|let me|(?:just )?(?:a|one) moment|please wait)\b[^?\d]{0,200}$/i;
const STEP = /\b(?:query|queries|check|look|run|search|fetch|retrieve|count|calculate|execute|gather|pull)/i;
const MAX_ANNOUNCEMENT_CHARS = 300;

const isAnnouncement = (text: string) =>
  text.length <= MAX_ANNOUNCEMENT_CHARS && ANNOUNCEMENT.test(text.trim()) && STEP.test(text);

/** What the model is told, as an addition to its instructions, when its last reply could not be used. */
const NUDGES = {
  empty:
    'Your last reply was empty. Call a tool if you need to look something up; otherwise answer the question now, as plain text.',
  rewrite:
    'Your last tool call could not be read. Call tools through the tool interface only, with the arguments as one JSON object; write no call into your text.',
  announced:
    'Your last reply announced a step without taking it. Call the tool now, or answer the question if no tool is needed.',
  repeats: 'Your last reply repeated the same words over and over. Answer once, in a few sentences.',
} as const;

/** Added to the instructions of the step without tools. */
const LAST_STEP =
  'This is the last step and no tool can be called any more. Answer from the results so far, as plain text, and say what is missing.';

/** What is known of a question when a reply has neither text nor calls. */
export interface Known {
  readonly offersTools: boolean;
  readonly hasTables: boolean;
  /** The question asks for a query instead of its result. */
  readonly wantsQuery: boolean;
  /** The last text before a tool call. */
  readonly lastText: string;
}

export class Repair {
  readonly #tried = new Set<Recovery>();
  #rewrites = 0;
  #wasEmpty = false;
  #hasRepeated = false;
  #hasAnnounced = false;
  #pauses = 0;
  #nudge: keyof typeof NUDGES | undefined;

  get canStream(): boolean {
    return !this.#tried.has('without-streaming');
  }

  /** Whether another call may succeed where this one failed; each way is tried once. */
  recovers(error: unknown, hasShown: boolean): boolean {
    const recovery = recoveryOf(error, hasShown);
    if (recovery === undefined || this.#tried.has(recovery)) return false;
    this.#tried.add(recovery);
    if (recovery === 'rewrite') this.#nudge = 'rewrite';
    return true;
  }

  /** Takes a reply; what the model was told about the one before is done with. */
  received(): void {
    this.#nudge = undefined;
  }

  /** Whether a reply is a pause after which the provider goes on (Anthropic's `pause_turn`). */
  isPause({ rawReason }: ModelAnswer): boolean {
    if (rawReason !== 'pause_turn' || this.#pauses >= MAX_PAUSES) return false;
    this.#pauses += 1;
    return true;
  }

  /** Whether the model is asked once more after a reply without calls. */
  asksAgain(reply: ModelAnswer, { offersTools, hasTables, wantsQuery, lastText }: Known): boolean {
    if (reply.hasUnreadableCall && offersTools) {
      this.#rewrites += 1;
      this.#nudge = 'rewrite';
      return this.#rewrites <= MAX_REWRITES;
    }
    const { calls, finish, text } = reply;
    if (finish === 'repeats' && !this.#hasRepeated) {
      this.#hasRepeated = true;
      this.#nudge = 'repeats';
      return true;
    }
    const isStep = isAnnouncement(text) || (!wantsQuery && holdsQuery(text));
    if (!this.#hasAnnounced && offersTools && !hasTables && finish === 'done' && isStep) {
      this.#hasAnnounced = true;
      this.#nudge = 'announced';
      return true;
    }
    if (text.trim() !== '' || calls.length > 0 || finish !== 'done' || this.#wasEmpty) return false;
    if (lastText !== '' && hasTables && reply.reasoning === '') return false;
    this.#wasEmpty = true;
    this.#nudge = 'empty';
    return true;
  }

  /**
   * The messages with what the model is told about this call alone, in the form that its server takes. `standstill`: why
   * no tool is offered.
   */
  prompt(messages: LanguageModelV4Message[], offersTools: boolean, standstill: string | undefined) {
    const withoutTools = offersTools ? [] : [standstill === undefined ? LAST_STEP : `${standstill}\n${LAST_STEP}`];
    const added = [...(this.#nudge === undefined ? [] : [NUDGES[this.#nudge]]), ...withoutTools];
    const isPlain = !this.#tried.has('system-as-user') && !this.#tried.has('without-reasoning');
    const [system, ...rest] = messages;
    if ((added.length === 0 && isPlain) || system?.role !== 'system') return messages;
    return this.#adapted({ ...system, content: [system.content, ...added].join('\n\n') }, rest);
  }

  #adapted(system: SystemMessage, rest: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
    const kept = this.#tried.has('without-reasoning') ? rest.map(withoutReasoning) : rest;
    const [first, ...others] = kept;
    if (!this.#tried.has('system-as-user') || first?.role !== 'user') return [system, ...kept];
    return [{ ...first, content: [{ type: 'text', text: system.content }, ...first.content] }, ...others];
  }
}

function withoutReasoning(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'assistant') return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') };
}
