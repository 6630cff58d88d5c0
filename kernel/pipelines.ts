/**
 * The two guarded paths. This file alone calls `datasource.execute` and `action.execute`, in fixed hook order, for
 * the agent, HTTP, MCP, schedules, the command line and plugins alike. It knows hook order, not SQL.
 */
import { randomUUID } from 'node:crypto';
import { errorWithoutCredentials, withoutCredentials } from './credentials.ts';
import { AtlasError, messagesOf } from './errors.ts';
import {
  actionExecute,
  actionRequest,
  actionReview,
  actionSettled,
  datasourceExecute,
  datasourceList,
  sqlAfter,
  sqlBefore,
  sqlCheck,
  sqlSettled,
} from './hooks/catalog.ts';
import type { ActionOutcome, ActionRequest } from './hooks/payloads/actions.ts';
import type { ConnectionInfo, SqlOutcome, SqlReply, SqlRequest, SqlStatement } from './hooks/payloads/sql.ts';
import type { HookRegistry } from './hooks/registry.ts';
import type { InFlight } from './lifecycle.ts';
import type { Scope } from './scope.ts';

/** Longer than the statement's own timeout, so that a driver that works speaks first. */
const DRIVER_GRACE_MS = 5_000;

export class Pipelines {
  readonly #hooks: HookRegistry;
  readonly #inFlight: InFlight;

  constructor(hooks: HookRegistry, inFlight: InFlight) {
    this.#hooks = hooks;
    this.#inFlight = inFlight;
  }

  /** Runs one statement: rewrite, check, execute, filter the rows, tell the observers. Rejects with an `AtlasError`. */
  runSql(request: SqlRequest, scope: Scope): Promise<SqlReply> {
    return this.#inFlight.track(`SQL of request ${scope.requestId}`, this.#sql(request, scope));
  }

  async #sql(request: SqlRequest, scope: Scope): Promise<SqlReply> {
    const startedAt = performance.now();
    let statement: SqlStatement | undefined;
    let status: SqlOutcome['status'] = 'refused';
    try {
      const connection = await this.#connection(request.connectionId, scope);
      statement = {
        id: randomUUID(),
        connection: Object.freeze({ ...connection }),
        requested: request.sql,
        sql: request.sql,
        params: [],
        surface: request.surface,
        ...(request.conversationId === undefined ? {} : { conversationId: request.conversationId }),
      };
      statement = frozen(await this.#hooks.call(sqlBefore, statement, scope));
      // One tap at least seals, or the composition would not have started: what comes through is what a guard checked.
      await this.#hooks.call(sqlCheck, statement, scope);
      status = 'failed';
      scope.signal.throwIfAborted();
      const deadlineMs = statement.limits && statement.limits.timeoutMs + DRIVER_GRACE_MS;
      const result = await this.#hooks.callKey(datasourceExecute, connection.id, statement, scope, deadlineMs);
      const executed = { statement, result, durationMs: performance.now() - startedAt };
      const reply = await this.#hooks.call(sqlAfter, executed, scope);
      this.#settle(request, scope, startedAt, statement, 'succeeded', undefined, reply);
      return reply;
    } catch (error) {
      if (wasCancelled(error, scope)) status = 'cancelled';
      this.#settle(request, scope, startedAt, statement, status, error as Error, undefined);
      throw error;
    }
  }

  async #connection(id: string | undefined, scope: Scope): Promise<ConnectionInfo> {
    const connections = (await this.#hooks.call(datasourceList, undefined, scope)).map(({ value }) => value);
    const wanted = id ?? 'default';
    const found = connections.find((connection) => connection.id === wanted);
    if (found !== undefined) return found;
    const first = connections[0];
    if (first === undefined) {
      throw new AtlasError('No datasource is configured.', {
        code: 'no_datasource',
        hint: 'Set SVC_DATASOURCE_URL to the database to ask, and start again.',
      });
    }
    if (id === undefined) return first;
    const known = connections.map((connection) => connection.id).join(', ');
    throw new AtlasError(`There is no connection "${id}"; known: ${known}.`, { code: 'invalid_request' });
  }

  #settle(
    request: SqlRequest,
    scope: Scope,
    startedAt: number,
    statement: SqlStatement | undefined,
    status: SqlOutcome['status'],
    error: Error | undefined,
    reply: SqlReply | undefined,
  ): void {
    const outcome: SqlOutcome = {
      request: forObservers(request, ['sql']),
      statement: statement && forObservers(statement, ['sql', 'requested']),
      status,
      error: error && errorWithoutCredentials(error),
      durationMs: performance.now() - startedAt,
      rowCount: reply?.result.rows.length ?? 0,
      truncated: reply?.result.truncated ?? false,
    };
    this.#observe('sql.settled', this.#hooks.call(sqlSettled, outcome, scope), scope);
  }

  /**
   * Performs an action: complete, review, execute. Without `approved` a review that asks for approval, or that nobody
   * answers, ends in `pending`; whoever stores pending actions calls again with `approved`.
   */
  runAction(
    request: ActionRequest,
    scope: Scope,
    options: { readonly approved?: boolean } = {},
  ): Promise<ActionOutcome> {
    return this.#inFlight.track(
      `action ${request.type} of request ${scope.requestId}`,
      this.#action(request, scope, options.approved === true),
    );
  }

  async #action(requested: ActionRequest, scope: Scope, approved: boolean): Promise<ActionOutcome> {
    // What was approved is what runs: the request is completed once, before the review.
    const request = approved ? requested : await this.#hooks.call(actionRequest, requested, scope);
    const review = approved ? undefined : await this.#hooks.call(actionReview, request, scope);
    const outcome = await this.#decide(
      request,
      scope,
      approved ? 'run' : (review?.decision ?? 'approval'),
      review?.reason,
    );
    this.#observe('action.settled', this.#hooks.call(actionSettled, outcome, scope), scope);
    return outcome;
  }

  async #decide(
    request: ActionRequest,
    scope: Scope,
    decision: 'run' | 'approval' | 'deny',
    reason: string | undefined,
  ): Promise<ActionOutcome> {
    const because = reason === undefined ? {} : { reason };
    if (decision === 'deny') return { request, status: 'denied', ...because };
    if (decision === 'approval') return { request, status: 'pending', ...because };
    try {
      const result = await this.#hooks.callKey(actionExecute, request.type, request, scope);
      return { request, status: 'executed', result };
    } catch (error) {
      return { request, status: 'failed', error: error as Error };
    }
  }

  /** Observers run on their own; their failures are logged and reach nobody else. */
  #observe(hook: string, failures: Awaited<ReturnType<HookRegistry['call']>> | Promise<unknown>, scope: Scope): void {
    if (!(failures instanceof Promise)) return;
    void this.#inFlight.track(
      `${hook} of request ${scope.requestId}`,
      failures.then((list) => {
        for (const { plugin, error } of list as { plugin: string; error: Error }[]) {
          scope.log.error({ plugin, hook, error: messagesOf(error) }, 'An observer failed.');
        }
      }),
    );
  }
}

/** A copy that nobody alters between the check and the database, nor its lists, its limits and its connection. */
function frozen(statement: SqlStatement): SqlStatement {
  for (const value of Object.values(statement)) Object.freeze(value);
  return Object.freeze({ ...statement });
}

/** The same, or a copy in which these texts show no credentials. */
function forObservers<T extends object, K extends keyof T & string>(value: T, keys: readonly K[]): T {
  const clean = keys.map((key) => [key, withoutCredentials(String(value[key]))] as const);
  return clean.every(([key, text]) => text === value[key]) ? value : { ...value, ...Object.fromEntries(clean) };
}

/** Whoever asked went away. A rule that spoke all the same has refused, and a plugin that took too long has failed. */
function wasCancelled(error: unknown, scope: Scope): boolean {
  if (!scope.signal.aborted) return false;
  const { code, reason } = error instanceof AtlasError ? error : {};
  return code !== 'sql_refused' && reason !== 'E_HOOK_TIMEOUT';
}
