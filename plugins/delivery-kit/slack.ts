/** Posts messages to Slack with `chat.postMessage`, and their pictures as files before it. */
import { messageOf, type PluginContext, type Scope, type Static, Type } from '../../kernel/index.ts';
import { openOutbound } from '../outbound/index.ts';
import { DeliveryError, deliveryErrorOf, notConfigured } from './errors.ts';
import { chatCredentials } from './hooks.ts';
import { retriable, throwUnlessSent } from './retry-after.ts';
import {
  postedWithFiles,
  SLACK_JSON,
  type SlackAnswer,
  type SlackCalls,
  uploadedFiles,
  withFiles,
} from './slack-files.ts';
import type { SlackContent } from './slack-report.ts';

export const SlackOptions = Type.Object(
  {
    botToken: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'bot token of the Slack app, with the scope chat:write, and files:write for charts',
      }),
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

export function openSlack(ctx: Pick<PluginContext, 'call' | 'logOf'>, { botToken, apiUrl }: SlackOptions): Slack {
  const { hostname, port, protocol } = new URL(apiUrl);
  // The operator chose the address, so it may be private.
  const allowPrivate = [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
  const { fetch } = openOutbound({ allowPrivate, timeoutMs: TIMEOUT_MS, maxBytes: 1_048_576 });

  function openCalls(token: string, signal: AbortSignal): SlackCalls {
    async function send(url: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
      const request = { url, method: 'POST', headers: { ...headers, 'content-type': type }, body, signal };
      const answer = await fetch(request).catch((error: unknown) => {
        signal.throwIfAborted();
        throw deliveryErrorOf(error);
      });
      throwUnlessSent('Slack', answer);
      return answer;
    }
    return {
      async call(method, type, body) {
        const headers = { authorization: `Bearer ${token}` };
        const { text, headers: received } = await send(new URL(method, apiUrl).href, type, body, headers);
        return acceptedOf(text, received);
      },
      // Its address is a secret of its own.
      upload: async (url, bytes) => void (await send(url, 'application/octet-stream', bytes)),
    };
  }

  return {
    async post({ key, pictures = [], ...message }, scope) {
      const { signal } = scope;
      const own = await ctx.call(chatCredentials, { platform: 'slack' }, scope);
      const token = own?.botToken ?? botToken;
      if (token === undefined) throw notConfigured('Slack', ['SLACK_BOT_TOKEN']);
      const calls = openCalls(token, signal);
      const post = async (blocks: SlackContent['blocks']) => {
        const body = {
          ...message,
          ...(blocks !== undefined && { blocks }),
          unfurl_links: false,
          unfurl_media: false,
          client_msg_id: key,
          metadata: { event_type: 'atlas_message', event_payload: { idempotency_key: key } },
        };
        const { channel, ts } = await calls.call('chat.postMessage', SLACK_JSON, JSON.stringify(body));
        return { channel: String(channel ?? ''), ts: String(ts ?? '') };
      };
      const goesWithout = (error: unknown) => {
        signal.throwIfAborted();
        ctx.logOf(scope).warn({ error: messageOf(error) }, 'A message to Slack goes out without its charts.');
      };
      const files = pictures.length > 0 && (await uploadedFiles(calls, pictures).catch(goesWithout));
      if (files) {
        try {
          return await postedWithFiles(() => post(withFiles(message.blocks ?? [], files)), signal);
        } catch (error) {
          // One that may have arrived is not sent again here.
          if (!(error instanceof DeliveryError && error.final)) throw error;
          goesWithout(error);
        }
      }
      return post(message.blocks);
    },
  };
}

function acceptedOf(text: string, headers: Readonly<Record<string, string>>): SlackAnswer {
  const answer = answerOf(text);
  if (answer.ok === true) return answer;
  if (answer.ok !== false) throw retriable('Slack answered with something that is no answer of its API.', headers);
  const code =
    String(answer.error)
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
