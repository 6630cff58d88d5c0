/** Adds up what one question takes. */
import { randomUUID } from 'node:crypto';
import type { ModelCalled } from '../agent/index.ts';
import type { Budget, Owner } from './budgets.ts';
import type { UsageOptions } from './options.ts';
import { dayOf } from './periods.ts';
import type { QuestionRow } from './tables.ts';
import { costOf, type Tokens, tokensOf } from './tokens.ts';

export interface AccountInit {
  readonly owner: Owner;
  /** Milliseconds since the epoch; the question counts in the periods of this moment, however long it takes. */
  readonly askedAt: number;
  readonly surface: string;
  readonly requestId: string;
  readonly budgets: readonly Budget[];
  readonly prices: UsageOptions['prices'];
}

export interface CountedCall extends Tokens {
  readonly cost: number | undefined;
}

export class Account {
  readonly id = randomUUID();
  readonly budgets: readonly Budget[];
  conversationId: string | undefined;
  /** Tokens of the budgets that are reserved for this question. */
  reservedTokens = 0;
  isAnswered = false;
  readonly #init: AccountInit;
  #model: ModelCalled['model'] | undefined;
  #calls = 0;
  #lastCallTokens = 0;
  #sum: Tokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, estimatedTokens: 0 };
  #cost: number | null = null;
  /** Bytes of the text since the last call that has ended. */
  #textBytes = 0;

  constructor(init: AccountInit) {
    this.#init = init;
    this.budgets = init.budgets;
  }

  get tokens(): number {
    return this.#sum.inputTokens + this.#sum.outputTokens;
  }

  /** The tokens after one more call like the last: it reads at least what that one read and wrote. */
  get tokensWithNextCall(): number {
    return this.tokens + this.#lastCallTokens;
  }

  /** Notes text of the call that runs. */
  addText(text: string): void {
    this.#textBytes += Buffer.byteLength(text);
  }

  /** Counts a call that has ended; `undefined`: it took nothing. */
  add(call: ModelCalled): CountedCall | undefined {
    const tokens = tokensOf(call, this.#textBytes);
    this.#textBytes = 0;
    if (tokens === undefined) return undefined;
    const cost = costOf(tokens, call.model.modelId, this.#init.prices);
    this.#model = call.model;
    this.#calls += 1;
    this.#lastCallTokens = tokens.inputTokens + tokens.outputTokens;
    this.#sum = {
      inputTokens: this.#sum.inputTokens + tokens.inputTokens,
      outputTokens: this.#sum.outputTokens + tokens.outputTokens,
      cachedInputTokens: this.#sum.cachedInputTokens + tokens.cachedInputTokens,
      estimatedTokens: this.#sum.estimatedTokens + tokens.estimatedTokens,
    };
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
    return { ...tokens, cost };
  }

  /** `undefined`: no model was called. */
  row(): QuestionRow | undefined {
    if (this.#model === undefined) return undefined;
    const { owner, askedAt, surface, requestId } = this.#init;
    const { inputTokens, outputTokens, cachedInputTokens, estimatedTokens } = this.#sum;
    return {
      id: this.id,
      asked_at: new Date(askedAt).toISOString(),
      day: dayOf(askedAt),
      ...owner,
      surface,
      request_id: requestId,
      conversation_id: this.conversationId ?? null,
      provider: this.#model.provider,
      model: this.#model.modelId,
      model_calls: this.#calls,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cached_input_tokens: cachedInputTokens,
      estimated_tokens: estimatedTokens,
      cost: this.#cost,
      is_answered: this.isAnswered,
    };
  }
}
