/** Serves the webhook: authenticates, limits, and answers at once or later. */
import { randomUUID } from 'node:crypto';
import {
  AtlasError,
  authAuthorize,
  defineRoute,
  type PluginContext,
  type Route,
  type RouteReply,
  type Scope,
} from '../../kernel/index.ts';
import type { HttpServer } from '../http/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { Answers } from './answers.ts';
import type { Channel } from './channels.ts';
import { checkHeaders, checkSignature } from './credentials.ts';
import type { Queue } from './queue.ts';
import type { ReplayGuard } from './replay.ts';
import { WebhookAccepted, WebhookBody, WebhookResult } from './schemas.ts';

export const MOUNT_PATH = '/api/plugins/webhook-interaction';
const PATH = `${MOUNT_PATH}/webhook/:channelId`;

/** For an answer to reach its client, beyond the deadline of its question. */
const TAKING_MS = 5_000;

/** Not failures of the question: refusals, of now or by a policy such as row security. */
const REFUSALS: ReadonlySet<string> = new Set(['overloaded', 'unavailable', 'budget_exhausted', 'forbidden']);

export interface WebhookParts {
  readonly ctx: PluginContext;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly answers: Answers;
  readonly queue: Queue;
  readonly replays: ReplayGuard;
  readonly outbound: Outbound;
  readonly http: HttpServer;
  readonly bodyLimitBytes: number;
  /** Has the rows of answers to this scope count as memory in use until the result is called. */
  retain(scope: Scope): () => void;
}

function channelAt(channels: WebhookParts['channels'], params: Readonly<Record<string, string>>): Channel {
  const channel = channels.get(params.channelId ?? '');
  if (channel !== undefined) return channel;
  throw new AtlasError('There is no such webhook channel.', {
    code: 'not_found',
    hint: 'Check the end of the URL; upper and lower case differ.',
  });
}

/** The body, which the server checks as it is read. Here every fault of it is a malformed request: 400. */
function bodyOf(request: { readonly body: WebhookBody }): WebhookBody {
  try {
    return request.body;
  } catch (error) {
    if (!(error instanceof AtlasError) || error.code !== 'validation_error') throw error;
    throw new AtlasError(error.message, { code: 'invalid_request', details: error.details, hint: error.hint });
  }
}

function limitRate({ requests, options }: Channel): void {
  const waitMs = requests.take('');
  if (waitMs === 0) return;
  throw new AtlasError(`More than ${options.requestsPerMinute} requests came to this webhook channel in a minute.`, {
    code: 'rate_limited',
    reason: 'E_WEBHOOK_RATE',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    hint: 'Wait as long as Retry-After says.',
  });
}

/** Counts a request that waits for its answer; call the result when it has been sent. */
function enter(channel: Channel): () => void {
  const { maxConcurrent } = channel.options;
  if (channel.running >= maxConcurrent) {
    throw new AtlasError(`${maxConcurrent} requests of this webhook channel are being answered.`, {
      code: 'overloaded',
      reason: 'E_WEBHOOK_BUSY',
      retryAfterSeconds: 1,
      hint: 'Try again shortly, or name a callbackUrl.',
    });
  }
  channel.running += 1;
  return () => {
    channel.running -= 1;
  };
}

async function answerNow(
  { answers, http, retain }: WebhookParts,
  channel: Channel,
  query: string,
  scope: Scope,
): Promise<RouteReply> {
  const leave = enter(channel);
  const release = retain(scope);
  const done = () => {
    release();
    leave();
  };
  const sendUntil = performance.now() + answers.timeoutMs + TAKING_MS;
  try {
    return { body: { success: true, result: await answers.result(channel, query, scope) }, sendUntil, done };
  } catch (error) {
    done();
    scope.signal.throwIfAborted();
    if (error instanceof AtlasError && REFUSALS.has(error.code)) throw error;
    const { message, requestId } = http.failure(error, scope).body;
    return { status: 500, body: { error: 'internal_error', message, requestId } };
  }
}

async function answerLater(
  { queue }: WebhookParts,
  { options: { channelId, maxQueued } }: Channel,
  query: string,
  callbackUrl: string,
): Promise<RouteReply> {
  const requestId = randomUUID();
  await queue.add({ requestId, channelId, query, callbackUrl }, maxQueued);
  return { status: 202, body: { accepted: true, requestId } };
}

export function webhookRoute(parts: WebhookParts): Route {
  const { ctx, channels, replays, outbound, bodyLimitBytes } = parts;
  return defineRoute({
    method: 'POST',
    path: PATH,
    operationId: 'askThroughWebhook',
    summary: 'Answers a question of an automation tool, at once or through a callback.',
    tag: 'Webhook',
    right: 'public',
    rawBody: 'first',
    bodyLimitBytes,
    body: WebhookBody,
    responses: { 200: WebhookResult, 202: WebhookAccepted },
    errors: ['auth_error', 'forbidden', 'not_found', 'rate_limited', 'overloaded', 'unavailable', 'budget_exhausted'],
    ready: ({ params, headers }) => checkHeaders(channelAt(channels, params).options, headers, ctx.now()),
    async handle(request, scope) {
      const channel = channelAt(channels, request.params);
      const { options } = channel;
      const bytes = request.rawBody ?? Buffer.alloc(0);
      const signature = checkSignature(options, request.headers, bytes, ctx.now());
      scope.identify(channel.actor, channel.orgId);
      await ctx.call(authAuthorize, { right: 'query', operation: `POST ${PATH}`, ip: request.ip }, scope);
      limitRate(channel);
      const { query, callbackUrl = options.callbackUrl } = bodyOf(request);
      if (callbackUrl !== undefined) await outbound.check(callbackUrl);
      if (signature !== undefined) await replays.claim(signature, options.replayWindowSeconds as number);
      try {
        return callbackUrl === undefined
          ? await answerNow(parts, channel, query, scope)
          : await answerLater(parts, channel, query, callbackUrl);
      } catch (error) {
        if (signature !== undefined) await replays.release(signature);
        throw error;
      }
    },
  });
}
