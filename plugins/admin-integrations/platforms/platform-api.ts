/** Calls the API of a chat platform at the address that the operator configured. */
import { AtlasError } from '../../../kernel/index.ts';
import { openOutbound } from '../../outbound/index.ts';

type Json = Readonly<Record<string, unknown>>;

export interface PlatformReply {
  readonly status: number;
  /** Empty where the body is no JSON object. */
  readonly body: Json;
}

export interface PlatformRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Rejects with `platform_unreachable` when no answer comes, or one of a platform in trouble. */
export type PlatformApi = (path: string, request: PlatformRequest, signal: AbortSignal) => Promise<PlatformReply>;

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 262_144;

export function platformApi(label: string, baseUrl: string): PlatformApi {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  // The operator chose the address, so it may be private.
  const allowPrivate = [`${base.hostname}:${base.port || (base.protocol === 'https:' ? 443 : 80)}`];
  const { fetch } = openOutbound({ allowPrivate, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  return async (path, request, signal) => {
    const answer = await fetch({ url: new URL(path, base).href, ...request, signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unreachable(label, 'it could not be reached', cause);
    });
    const { status } = answer;
    if (status === 408 || status === 429 || status >= 500)
      throw unreachable(label, `it answered with status ${status}`);
    return { status, body: objectOf(answer.text) };
  };
}

export function unreachable(label: string, why: string, cause?: unknown): AtlasError {
  return new AtlasError(`${label} could not check the bot token: ${why}.`, {
    code: 'platform_unreachable',
    hint: 'Try again shortly.',
    cause,
  });
}

export function refusedToken(label: string, hint: string): AtlasError {
  return new AtlasError(`${label} does not accept the bot token.`, { code: 'invalid_bot_token', hint });
}

/** What can be stored and shown as the name of a bot. */
export const isBotName = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && /^[^\p{C}]{1,200}$/u.test(value);

function objectOf(text: string): Json {
  try {
    return Object(JSON.parse(text)) as Json;
  } catch {
    return {};
  }
}
