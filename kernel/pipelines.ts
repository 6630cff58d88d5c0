/**
 * Runs statements and actions. This file alone calls `datasource.execute` and `action.execute`, in fixed hook order,
 * for the agent, HTTP, MCP, schedules, the command line and plugins alike. It knows hook order, not SQL.
 */
import { randomUUID } from 'node:crypto';
import { AtlasError, messagesOf } from './errors.ts';
import * as catalog from './hooks/catalog.ts';
import type { Hook } from './hooks/kinds.ts';
import type { ActionOutcome, ActionRequest, ActionReview } from './hooks/payloads/actions.ts';
import type { ConnectionInfo, SqlOutcome, SqlReply, SqlRequest, SqlStatement } from './hooks/payloads/sql.ts';
import type { HookRegistry } from './hooks/registry.ts';
import type { InFlight } from './lifecycle.ts';
import { type Redact, redactError } from './redaction.ts';
import type { Scope } from './scope.ts';

/** Longer than the statement's own timeout, so that a driver that works speaks first. */
const DRIVER_GRACE_MS = 5_000;

export interface Pipelines {
  /** Runs one statement: rewrite, check, execute, filter the rows, tell the observers. Rejects with an `AtlasError`. */
  runSql(request: SqlRequest, scope: Scope): Promise<SqlReply>;
  /**
   * Performs an action: complete, review, execute. Without `approved` a review that asks for approval, or that has no
   * answer, ends in `pending`; the plugin that stores pending actions calls again with `approved`.
   */
  runAction(request: ActionRequest, scope: Scope, options?: { readonly approved?: boolean }): Promise<ActionOutcome>;
}

export function createPipelines(hooks: HookRegistry, inFlight: InFlight, redact: Redact): Pipelines {
  async function runSql(request: SqlRequest, scope: Scope): Promise<SqlReply> {
    const startedAt = performance.now();
    let statement: SqlStatement | undefined;
    let status: SqlOutcome['status'] = 'refused';
    let error: Error | undefined;
    let reply: SqlReply | undefined;
    try {
      const connection = await connectionOf(request.connectionId, scope);
      statement = {
        id: randomUUID(),
        connection: Object.freeze({ ...connection }),
        requested: request.sql,
        sql: request.sql,
        params: [],
        surface: request.surface,
        ...(request.conversationId !== undefined && { conversationId: request.conversationId }),
      };
      statement = frozen(await hooks.call(catalog.sqlBefore, statement, scope));
      // One tap at least seals, or the composition would not have started: what comes through is what a guard checked.
      await hooks.call(catalog.sqlCheck, statement, scope);
      status = 'failed';
      scope.signal.throwIfAborted();
      const deadlineMs = statement.limits && statement.limits.timeoutMs + DRIVER_GRACE_MS;
      const key = connection.key ?? connection.id;
      const result = await hooks.callKey(catalog.datasourceExecute, key, statement, scope, deadlineMs);
      const executed = { statement, result, durationMs: performance.now() - startedAt };
      reply = await hooks.call(catalog.sqlAfter, executed, scope);
      status = 'succeeded';
      return reply;
    } catch (thrown) {
      if (wasCancelled(thrown, scope)) status = 'cancelled';
      error = thrown as Error;
      throw thrown;
    } finally {
      // What is for the caller alone may hold a secret of the statement, or of a policy.
      const { shown: _, changes: __, ...seen } = statement ?? ({} as SqlStatement);
      const outcome: SqlOutcome = {
        request: { ...request, sql: redact(request.sql) },
        statement: statement && { ...seen, sql: redact(seen.sql), requested: redact(seen.requested) },
        status,
        error: error && redactError(error, redact),
        durationMs: performance.now() - startedAt,
        rowCount: reply?.result.rows.length ?? 0,
        truncated: reply?.result.truncated ?? false,
      };
      observe(catalog.sqlSettled, outcome, scope);
    }
  }

  async function connectionOf(id: string | undefined, scope: Scope): Promise<ConnectionInfo> {
    const connections = (await hooks.call(catalog.datasourceList, undefined, scope)).map(({ value }) => value);
    const named = connections.find((connection) => connection.id === (id ?? 'default'));
    const found = named ?? (id === undefined ? connections[0] : undefined);
    if (found !== undefined) return found;
    if (connections.length === 0) {
      throw new AtlasError('No datasource is configured.', {
        code: 'no_datasource',
        hint: 'Set SVC_DATASOURCE_URL to the database to ask, and start again.',
      });
    }
    const known = connections.map((connection) => connection.id).join(', ');
    throw new AtlasError(`There is no connection "${id}"; known: ${known}.`, { code: 'invalid_request' });
  }

  async function runAction(requested: ActionRequest, scope: Scope, approved: boolean): Promise<ActionOutcome> {
    // What was approved is what runs: the request is completed once, before the review.
    const request = approved ? requested : await hooks.call(catalog.actionRequest, requested, scope);
    const review = approved ? { decision: 'run' as const } : await hooks.call(catalog.actionReview, request, scope);
    const outcome = await perform(request, review ?? { decision: 'approval' }, scope);
    observe(catalog.actionSettled, outcome, scope);
    return outcome;
  }

  async function perform(request: ActionRequest, review: ActionReview, scope: Scope): Promise<ActionOutcome> {
    if (review.decision !== 'run') {
      const status = review.decision === 'deny' ? 'denied' : 'pending';
      return { request, status, ...(review.reason !== undefined && { reason: review.reason }) };
    }
    try {
      const result = await hooks.callKey(catalog.actionExecute, request.type, request, scope);
      return { request, status: 'executed', result };
    } catch (error) {
      return { request, status: 'failed', error: error as Error };
    }
  }

  /** Observers run beside the answer; their failures are logged. */
  function observe<P>(hook: Hook<'parallel', P, undefined>, payload: P, scope: Scope): void {
    const failures = hooks.call(hook, payload, scope);
    if (!(failures instanceof Promise)) return;
    const logged = failures.then((list) => {
      for (const { plugin, error } of list) {
        scope.log.error({ plugin, hook: hook.id, error: messagesOf(error) }, 'An observer failed.');
      }
    });
    void inFlight.track(`${hook.id} of request ${scope.requestId}`, logged);
  }

  return {
    runSql: (request, scope) => inFlight.track(`SQL of request ${scope.requestId}`, runSql(request, scope)),
    runAction: (request, scope, { approved = false } = {}) =>
      inFlight.track(`action ${request.type} of request ${scope.requestId}`, runAction(request, scope, approved)),
  };
}

/** A copy that cannot be altered between the check and the database, nor its lists, its limits and its connection. */
function frozen(statement: SqlStatement): SqlStatement {
  for (const value of Object.values(statement)) Object.freeze(value);
  return Object.freeze({ ...statement });
}

/** The client went away. A rule that spoke all the same has refused, and a plugin that took too long has failed. */
function wasCancelled(error: unknown, scope: Scope): boolean {
  const { code, reason } = error instanceof AtlasError ? error : {};
  return scope.signal.aborted && code !== 'sql_refused' && reason !== 'E_HOOK_TIMEOUT';
}
