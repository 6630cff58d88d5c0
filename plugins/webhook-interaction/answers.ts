/** Answers the questions of channels, with the agent or the function of the options, and words their failures. */
import { AtlasError, type PluginContext, type Scope, withTimeout } from '../../kernel/index.ts';
import { type Agent, shownTable } from '../agent/index.ts';
import type { HttpServer } from '../http/index.ts';
import type { Channel } from './channels.ts';
import type { ExecuteQuery, WebhookAnswer } from './options.ts';
import type { ChannelResult } from './schemas.ts';

/** Time limit of an answer function from the options; the agent has its own. */
const FUNCTION_TIMEOUT_MS = 180_000;

/** What a callback carries beside the id of its request. */
export type CallbackOutcome =
  | { readonly success: true; readonly result: ChannelResult }
  | { readonly success: false; readonly error: string };

export interface Answers {
  /** Longest time that a question takes. */
  readonly timeoutMs: number;
  /** Rejects as the agent does. `scope` must have been identified as the channel's. */
  result(channel: Channel, query: string, scope: Scope): Promise<ChannelResult>;
  /** Never rejects, but when `signal` has been aborted: the question is then to be asked again. */
  outcome(
    channel: Channel | undefined,
    query: string,
    requestId: string,
    signal: AbortSignal,
  ): Promise<CallbackOutcome>;
}

function shown({ answer, sql = [], data = [], verified }: WebhookAnswer, format: 'json' | 'text'): ChannelResult {
  if (format === 'text') return answer;
  const { columns = [], rows = [], explanation, readings, provenance, formats } = data.at(-1) ?? {};
  return {
    answer,
    sql: [...sql],
    columns: [...columns],
    rows: rows as Record<string, unknown>[],
    ...(explanation !== undefined && { explanation }),
    ...(readings !== undefined && { readings }),
    ...(verified !== undefined && { verified }),
    ...(provenance !== undefined && { provenance }),
    ...(formats !== undefined && { formats }),
  };
}

function throughAgent(agent: Agent): (channel: Channel, query: string, scope: Scope) => Promise<WebhookAnswer> {
  return async ({ options: { connectionId } }, query, scope) => {
    const { text, sql, data, verified } = await agent.answer(
      {
        turns: [{ role: 'user', text: query }],
        surface: 'webhook',
        ...(connectionId !== undefined && { connectionId }),
      },
      scope,
    );
    return { answer: text, sql, data: data.map(shownTable), ...(verified !== undefined && { verified }) };
  };
}

function throughFunction(executeQuery: ExecuteQuery): ReturnType<typeof throughAgent> {
  return (_channel, query, scope) =>
    withTimeout(Promise.try(executeQuery, query, scope), FUNCTION_TIMEOUT_MS, () => {
      throw new AtlasError('The question was not answered in time.', { code: 'provider_timeout' });
    });
}

/** Throws `configuration_error` where there is neither the agent nor a function. */
export function answersOf(
  ctx: PluginContext,
  executeQuery: ExecuteQuery | undefined,
  agent: Agent | undefined,
  http: HttpServer,
): Answers {
  if (executeQuery === undefined && agent === undefined) {
    throw new AtlasError('There is nothing that could answer the questions of webhooks.', {
      code: 'configuration_error',
      reason: 'E_WEBHOOK_AGENT',
      hint: 'Add agent() to the plugins, or set the option executeQuery.',
    });
  }
  const ask = executeQuery === undefined ? throughAgent(agent as Agent) : throughFunction(executeQuery);
  const timeoutMs = executeQuery === undefined ? (agent as Agent).requestTimeoutMs : FUNCTION_TIMEOUT_MS;
  const result: Answers['result'] = async (channel, query, scope) =>
    shown(await ask(channel, query, scope), channel.options.responseFormat);
  return {
    timeoutMs,
    result,
    async outcome(channel, query, requestId, signal) {
      if (channel === undefined) return { success: false, error: 'The webhook channel does not exist any more.' };
      const scope = ctx.scope({ requestId, actor: channel.actor, orgId: channel.orgId, signal });
      try {
        return { success: true, result: await result(channel, query, scope) };
      } catch (error) {
        signal.throwIfAborted();
        return { success: false, error: http.failure(error, scope).body.message };
      }
    },
  };
}
