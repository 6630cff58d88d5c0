/** Posts messages to Slack with `chat.postMessage`. */
import { type PluginContext, type Scope, type Static, Type } from '../../kernel/index.ts';
import { openOutbound } from '../outbound/index.ts';
import { deliveryErrorOf, notConfigured } from './errors.ts';
import { chatCredentials } from './hooks.ts';
import { retriable, throwUnlessSent } from './retry-after.ts';
import type { SlackContent } from './slack-report.ts';

export const SlackOptions = Type.Object(
  {
    botToken: Type.Optional(
      Type.String({ minLength: 1, description: 'bot token of the Slack app, with the scope chat:write' }),
    ),
    apiUrl: Type.String({
      default: 'https://slack.com/api/',
      pattern: '^https?://[^\\s?#]+/$',
      expected: 'an http or https URL that ends in /',
      description: 'base URL of the Slack API',
    }),
  },
  { additionalProperties: false },
);

export type SlackOptions = Static<typeof SlackOptions>;

export interface SlackMessage extends SlackContent {
  /** Id of a channel or user, or the name of a channel. */
  readonly channel: string;
  /** A UUID, the same at every try, by which Slack and its readers can tell a repetition. */
  readonly key: string;
}

export interface Slack {
  /** Sends with the bot of the scope's organization. Resolves with where the message stands, rejects with a `DeliveryError`. */
  post(message: SlackMessage, scope: Scope): Promise<{ readonly channel: string; readonly ts: string }>;
}

const TIMEOUT_MS = 15_000;
/** Answers with `ok: false` after which another try may succeed; all others are final. */
const TRANSIENT =
  /^(ratelimited|rate_limited|message_limit_exceeded|internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org|external_channel_migrating)$/;

export function openSlack(ctx: Pick<PluginContext, 'call'>, { botToken, apiUrl }: SlackOptions): Slack {
  const url = new URL('chat.postMessage', apiUrl);
  // The operator chose the address, so it may be private.
  const allowPrivate = [`${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`];
  const { fetch } = openOutbound({ allowPrivate, timeoutMs: TIMEOUT_MS, maxBytes: 1_048_576 });
  return {
    async post({ key, ...message }, scope) {
      const { signal } = scope;
      const own = await ctx.call(chatCredentials, { platform: 'slack' }, scope);
      const token = own?.botToken ?? botToken;
      if (token === undefined) throw notConfigured('Slack', ['SLACK_BOT_TOKEN']);
      const answer = await fetch({
        url: url.href,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({
          ...message,
          unfurl_links: false,
          unfurl_media: false,
          client_msg_id: key,
          metadata: { event_type: 'atlas_message', event_payload: { idempotency_key: key } },
        }),
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw deliveryErrorOf(error);
      });
      throwUnlessSent('Slack', answer);
      return postedOf(answer.text, answer.headers);
    },
  };
}

interface SlackAnswer {
  readonly ok?: unknown;
  readonly error?: unknown;
  readonly channel?: unknown;
  readonly ts?: unknown;
}

function postedOf(text: string, headers: Readonly<Record<string, string>>): { channel: string; ts: string } {
  const { ok, error, channel, ts } = answerOf(text);
  if (ok === true) return { channel: String(channel ?? ''), ts: String(ts ?? '') };
  if (ok !== false) throw retriable('Slack answered with something that is no answer of its API.', headers);
  const code =
    String(error)
      .replace(/[^a-z0-9_:.-]/gi, '')
      .slice(0, 80) || 'no reason';
  throw retriable(`Slack refused the message: ${code}.`, headers, !TRANSIENT.test(code));
}

function answerOf(text: string): SlackAnswer {
  try {
    return Object(JSON.parse(text)) as SlackAnswer;
  } catch {
    return {};
  }
}
