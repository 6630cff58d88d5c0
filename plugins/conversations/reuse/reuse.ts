/**
 * Gives the model, as an example, the calls by which the same reader's same question was answered before, so that it is
 * answered alike again. Nothing runs for it: what the model makes of the example goes through guard, policies and approval.
 */
import { hash } from 'node:crypto';
import {
  type ContextPart,
  messageOf,
  type PluginContext,
  type Question,
  type Scope,
  scopeValue,
  withTimeout,
} from '../../../kernel/index.ts';
import { type AgentEvent, type Answer, triedOnly } from '../../agent/index.ts';
import { admitted, policyOf } from '../../datasource-kit/index.ts';
import type { SemanticLayerApi, SemanticModel } from '../../semantic-layer/index.ts';
import { isOfDay, MAX_QUESTION_CHARS, normalizedQuestion } from './question-key.ts';
import type { ReusableAnswer, ReuseStore } from './store.ts';

/** An answer that took more is no example to follow. */
const MAX_STATEMENTS = 3;
const MAX_CHARS = 4_000;
/** A model with less room gets no examples. */
const MIN_ROOM_BYTES = 4_096;
/** Longest wait of a question for its example, and of the end of the server for what is being kept. */
const WAIT_MS = 1_000;
const SURFACE = 'reuse';
const TITLE =
  'This question was answered before, by the calls below. Unless a verified query answers it, make the same calls again where they fit';

type Statements = readonly { readonly sql: string; readonly connectionId: string }[];

/** What answered a question. */
interface Given extends Pick<ReusableAnswer, 'calls' | 'day'> {
  readonly statements: Statements;
}

interface Asked {
  readonly key: Promise<string>;
  readonly messageId: string;
  readonly stored: Promise<boolean>;
  readonly scope: Scope;
}

/** A question whose answer may be used again. */
export interface ReusableQuestion {
  /** Every event of the answer, in order. */
  add(event: AgentEvent): void;
  /** The answer is complete. `stored`: whether it is, as a message. Never throws. */
  end(answer: Answer, messageId: string, stored: Promise<boolean>): void;
}

export interface ReuseInit {
  readonly ctx: Pick<PluginContext, 'call' | 'now' | 'logOf'>;
  readonly layer: Pick<SemanticLayerApi, 'for'> | undefined;
  readonly store: Pick<ReuseStore, 'find' | 'add'>;
}

export class Reuse {
  readonly #init: ReuseInit;
  /** What is offered for a question that runs. */
  readonly #offers = scopeValue<Promise<string | undefined>>();
  readonly #digests = new WeakMap<SemanticModel, string>();
  readonly #adding = new Set<Promise<void>>();

  constructor(init: ReuseInit) {
    this.#init = init;
  }

  /** `undefined`: a follow-up, or one that was asked again because its answer was no good. Looks for earlier answers. */
  begin({ turns, regenerates, connectionId }: Question, scope: Scope): ReusableQuestion | undefined {
    const [turn, ...more] = turns;
    if (turn === undefined || more.length > 0 || regenerates !== undefined) return undefined;
    if (turn.text.length > MAX_QUESTION_CHARS) return undefined;
    const { actor, orgId } = scope;
    const question = normalizedQuestion(turn.text);
    const reader = [orgId, actor.id, actor.mode, actor.role];
    const key = this.#layerOf(scope).then((layer) => digest([reader, connectionId, layer, question]));
    const day = new Date(this.#init.ctx.now()).toISOString().slice(0, 10);
    const found = key.then((known) => this.#find(known, day, scope));
    const offer = withTimeout(found, WAIT_MS, tooLate).catch((error: unknown) => {
      this.#init.ctx.logOf(scope).warn({ error: messageOf(error) }, NOT_FOUND);
      return undefined;
    });
    this.#offers.set(scope, offer);
    const calls = new RunCalls();
    return {
      add: (event) => calls.add(event),
      end: (answer, messageId, stored) => {
        const text = calls.text();
        if (text === undefined || !isReusable(answer)) return;
        const statements = answer.data.map(({ sql, connectionId }) => ({ sql, connectionId }));
        const given = { calls: text, day: isOfDay(question, text) ? day : null, statements };
        const adding = this.#add(given, { key, messageId, stored, scope })
          .catch((error: unknown) => this.#init.ctx.logOf(scope).warn({ error: messageOf(error) }, NOT_KEPT))
          .finally(() => this.#adding.delete(adding));
        this.#adding.add(adding);
      },
    };
  }

  /** What the model is told; untrusted, as a model wrote it. */
  async context({ room }: Question, scope: Scope): Promise<ContextPart[]> {
    const offered = await this.#offers.nearest(scope);
    if (offered === undefined || (room?.contextBytes ?? MIN_ROOM_BYTES) < MIN_ROOM_BYTES) return [];
    return [{ title: TITLE, text: offered, trusted: false, perQuestion: true }];
  }

  /** What is being kept now: waited for before the database closes. */
  async settled(): Promise<void> {
    await withTimeout(Promise.all(this.#adding), WAIT_MS, () => {});
  }

  async #find(key: string, day: string, scope: Scope): Promise<string | undefined> {
    const rows = await this.#init.store.find(key);
    // Equal statements have the same policy, however they are spaced.
    const rejected = new Set(rows.flatMap(({ rating, policy }) => (rating === 'bad' ? policy : [])));
    const policies = new Map<string, string | undefined>();
    for (const { calls, statements, policy, day: only } of rows) {
      if (rejected.has(policy) || (only !== null && only !== day)) continue;
      if (!policies.has(statements))
        policies.set(statements, await this.#policyOf(JSON.parse(statements), scope).catch(() => undefined));
      // With other policies or claims, or a column that is hidden since, it is no longer the same statement.
      if (policies.get(statements) === policy) return calls;
    }
    return undefined;
  }

  async #add({ calls, day, statements }: Given, { key, messageId, stored, scope }: Asked): Promise<void> {
    const policy = await this.#policyOf(statements, scope);
    if (!(await stored)) return;
    const answer = { calls, day, policy, statements: JSON.stringify(statements) };
    await this.#init.store.add(messageId, await key, answer);
  }

  /** Rejects where a statement may not run for the reader. */
  async #policyOf(statements: Statements, scope: Scope): Promise<string> {
    const tried = scope.part();
    triedOnly.set(tried, true);
    const policies: string[] = [];
    for (const { sql, connectionId } of statements)
      policies.push(policyOf(await admitted(this.#init.ctx, { sql, connectionId, surface: SURFACE }, tried)));
    return digest(policies);
  }

  /** The same for the same content on every server. */
  async #layerOf(scope: Scope): Promise<string> {
    const model = await this.#init.layer?.for(scope);
    if (model === undefined) return '';
    const { entities, metrics, glossary, catalog, verified } = model;
    const known = this.#digests.get(model) ?? digest([entities, metrics, glossary, catalog, verified]);
    this.#digests.set(model, known);
    return known;
  }
}

const NOT_FOUND = 'Earlier answers to a question could not be looked up.';
const NOT_KEPT = 'What answered a question could not be kept for the next time.';

const tooLate = () => {
  throw new Error(`It took more than ${WAIT_MS} ms.`);
};

const digest = (value: unknown) => hash('sha256', JSON.stringify(value));

/** A verified query needs no example. */
const isReusable = ({ outcome, finishReason, verified, pendingActions, data }: Answer): boolean =>
  outcome === 'answered' &&
  finishReason === 'stop' &&
  verified === undefined &&
  pendingActions.length === 0 &&
  data.length > 0 &&
  data.length <= MAX_STATEMENTS;

/** The calls that ran a statement. */
class RunCalls {
  readonly #asked = new Map<string, { readonly toolName: string; readonly args: unknown }>();
  readonly #ran = new Map<string, string>();

  add(event: AgentEvent): void {
    if (event.type === 'tool-call') this.#asked.set(event.toolCallId, event);
    if (event.type !== 'tool-result' || event.error !== undefined || event.statement === undefined) return;
    const call = this.#asked.get(event.toolCallId);
    if (call === undefined) return;
    const args = { ...Object(call.args) };
    // Of a statement that was repaired not what the model had written.
    const { sql = args.sql } = Object(event.result) as { readonly sql?: unknown };
    if (args.sql !== undefined) args.sql = sql;
    this.#ran.set(event.toolCallId, `${call.toolName} ${JSON.stringify(args)}`);
  }

  /** One a line; `undefined` where there are none, or they are too long. */
  text(): string | undefined {
    const text = [...this.#ran.values()].join('\n');
    return text === '' || text.length > MAX_CHARS ? undefined : text;
  }
}
