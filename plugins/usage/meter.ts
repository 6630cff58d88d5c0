/** Opens an account for every question, charges model calls to it, and records it when the question is over. */
import {
  messageOf,
  type PluginContext,
  type Question,
  type Scope,
  scopeValue,
  withTimeout,
} from '../../kernel/index.ts';
import type { AnswerNote, ModelCalled } from '../agent/index.ts';
import { DurableWriter, type InternalDb } from '../internal-db/index.ts';
import { Account } from './account.ts';
import { budgetsOf, exhausted, ownerOf } from './budgets.ts';
import { budgetExhausted, usageCounted } from './events.ts';
import type { UsageOptions } from './options.ts';
import { recordStatement, releaseStatement } from './record.ts';
import type { Reservations } from './reservations.ts';
import type { QuestionRow } from './tables.ts';

/** What a question reserves at a time; one that takes more reserves again. */
const RESERVED_TOKENS = 20_000;
/** A reservation outlives the deadline of its question by this. */
const GRACE_MS = 60_000;
/** Longest wait of an answer for its tokens to be recorded. */
const RECORD_WAIT_MS = 1_000;

export interface MeterInit {
  readonly ctx: Pick<PluginContext, 'emit' | 'log' | 'now'>;
  readonly options: UsageOptions;
  /** `undefined`: nothing is recorded. */
  readonly db: InternalDb | undefined;
  readonly reservations: Reservations;
  /** Time limit of one question. */
  readonly requestTimeoutMs: number;
}

export class Meter {
  readonly #init: MeterInit;
  readonly #accounts = scopeValue<Account>();
  readonly #closed = new WeakMap<Account, Promise<void>>();
  readonly #writer: DurableWriter<QuestionRow> | undefined;

  constructor(init: MeterInit) {
    const { db } = init;
    this.#init = init;
    this.#writer = db && new DurableWriter<QuestionRow>(db, recordStatement(db.dialect));
  }

  /** Rejects with `budget_exhausted`, or with `unavailable` when a budget cannot be checked. */
  async open({ surface }: Question, scope: Scope): Promise<Account> {
    const { ctx, options } = this.#init;
    const owner = ownerOf(scope);
    const askedAt = ctx.now();
    const { prices } = options;
    const { requestId } = scope;
    const budgets = budgetsOf(options, owner, askedAt);
    const account = new Account({ owner, askedAt, surface, requestId, budgets, prices });
    if (budgets.length > 0) await this.#reserve(account, 0);
    this.#accounts.set(scope, account);
    return account;
  }

  /** Takes the conversation's id from the question, which has it only inside the recording of conversations. */
  begin(scope: Scope, { conversationId }: Question): void {
    const account = this.#accounts.nearest(scope);
    if (account !== undefined) account.conversationId = conversationId;
  }

  count(call: ModelCalled): void {
    const { scope, model } = call;
    const counted = this.#accounts.nearest(scope)?.add(call);
    if (counted !== undefined) this.#init.ctx.emit(usageCounted, { scope, model, call: counted });
  }

  /**
   * Why the question may call no more tools; `undefined` while it may. The answer itself takes one more call, so the tool
   * phase ends when such a call would reach the budget.
   */
  async limit(scope: Scope): Promise<AnswerNote | undefined> {
    const account = this.#accounts.nearest(scope);
    if (account === undefined) return undefined;
    const { ctx, options } = this.#init;
    const { questionTokens = Infinity } = options;
    const tokens = account.tokensWithNextCall;
    if (tokens >= questionTokens) {
      ctx.emit(budgetExhausted, { budget: 'question' });
      return note(`The budget of ${questionTokens.toLocaleString('en-US')} tokens for one question is spent`);
    }
    if (account.budgets.length === 0 || tokens < account.reservedTokens) return undefined;
    try {
      await this.#reserve(account, tokens);
      return undefined;
    } catch (error) {
      return note(messageOf(error).replace(/\.$/, ''));
    }
  }

  /** Records what the question took. With a budget it resolves once that counts, or after a second. */
  async close(account: Account): Promise<void> {
    const closed = this.#closed.get(account) ?? this.#record(account);
    this.#closed.set(account, closed);
    if (account.budgets.length > 0) await withTimeout(closed, RECORD_WAIT_MS, () => {});
  }

  /** A last attempt to record what waits. */
  async end(): Promise<void> {
    await this.#writer?.close();
  }

  /** Reserves more than `neededTokens` in all, or rejects as `open` does. */
  async #reserve(account: Account, neededTokens: number): Promise<void> {
    const { ctx, options, reservations, requestTimeoutMs } = this.#init;
    const { id, budgets, reservedTokens } = account;
    const wantedTokens = Math.min(neededTokens + RESERVED_TOKENS, options.questionTokens ?? Infinity);
    const expiresAt = ctx.now() + requestTimeoutMs + GRACE_MS;
    const claimed = await reservations.claim({ id, budgets, reservedTokens, neededTokens, wantedTokens, expiresAt });
    if (typeof claimed !== 'number') {
      ctx.emit(budgetExhausted, { budget: claimed.budget.name });
      throw exhausted(claimed, ctx.now());
    }
    account.reservedTokens = claimed;
  }

  /** Never rejects: an answer must not fail because of it. */
  async #record(account: Account): Promise<void> {
    const { ctx, db } = this.#init;
    if (db === undefined) return;
    const row = account.row();
    try {
      if (row !== undefined) await this.#writer?.add(row);
      else if (account.budgets.length > 0) {
        await db.write([{ statement: releaseStatement(db.dialect), row: { id: account.id } }]);
      }
    } catch (error) {
      ctx.log.error({ error: messageOf(error), usage: row }, 'The usage of a question could not be recorded in time.');
    }
  }
}

const note = (why: string): AnswerNote => ({
  code: 'budget',
  message: `${why}, so the answer rests on what had been looked up until then.`,
});
