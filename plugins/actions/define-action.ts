/** Brings types of actions with their handlers in one call. */
import type { Static, TSchema } from '@sinclair/typebox';
import {
  type ActionRequest,
  AtlasError,
  type Awaitable,
  actionExecute,
  type PluginContext,
  type Scope,
} from '../../kernel/index.ts';
import { ApprovedRequest } from './approved-request.ts';
import { type ActionSubject, type ActionType, actionTypes } from './hooks.ts';

/** One run of an action. */
export interface ActionRun {
  /** Idempotency key: the action's id, the same when it runs again because a server died before it could record the end. */
  readonly key: string;
  /** Scope of the requester. Its signal aborts at the deadline, and when the server stops: give up then. */
  readonly scope: Scope;
}

export interface ActionDefinition<S extends TSchema> extends Omit<ActionType, 'input' | 'describe'> {
  readonly input: S;
  describe(payload: Static<S>): ActionSubject;
  /**
   * Performs the action. What it resolves to is the action's `result`: JSON without secrets. A rejection is its `error`;
   * the message of an `AtlasError` is shown as it is.
   */
  run(payload: Static<S>, run: ActionRun): Awaitable<unknown>;
}

/** Call it once in `setup`, with all types of the plugin. Handlers run what was approved; any other caller is refused. */
export function defineAction<T extends readonly TSchema[]>(
  ctx: Pick<PluginContext, 'tap' | 'tapKey'>,
  ...definitions: { readonly [K in keyof T]: ActionDefinition<T[K]> }
): void {
  const defined = definitions.map(({ run, ...type }) => ({ run, type: type as ActionType }));
  ctx.tap(actionTypes, () => defined.map(({ type }) => type));
  for (const { run, type } of defined)
    ctx.tapKey(actionExecute, type.type, (request, scope) => perform(run, request, scope));
}

function perform(run: ActionDefinition<TSchema>['run'], request: ActionRequest, scope: Scope): Promise<unknown> {
  if (ApprovedRequest.isOne(request)) {
    return untilAborted(scope.signal, async () => run(request.payload, { key: request.id, scope }));
  }
  throw new AtlasError(`The action "${request.type}" was not approved, so it was not performed.`, {
    code: 'forbidden',
    reason: 'E_ACTION_NOT_APPROVED',
    hint: 'Ask for it with the API of the plugin "actions", which stores it until it is approved.',
  });
}

/** A handler that does not act on the signal is no longer waited for. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work()]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
