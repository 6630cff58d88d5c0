/** Turns failures of a model provider into errors for the client, without the provider's own text. */
import { APICallError } from '@ai-sdk/provider';
import { AtlasError } from '../../kernel/index.ts';
import { providerText } from './provider-text.ts';
import { type Described, setupProblem, withoutResponses } from './setup-problems.ts';

/** Which model failed, as the health report names it. */
export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

/** Errors of exhausted resources of this machine, such as file descriptors or ports. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM', 'EAGAIN']);

const UNREACHABLE = new Set([
  ...EXHAUSTED,
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EPROTO',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);
const DEFAULT_RETRY_AFTER_SECONDS = 10;
const LOG_HINT = "The log has the provider's own words; when they do not help, try another model or provider.";

interface Failure {
  readonly statusCode?: unknown;
  readonly code?: unknown;
  readonly data?: { readonly error?: { readonly code?: unknown } };
  readonly cause?: unknown;
}

/** The failure that a reply with status 200 reports: packages wrap it in one that has the status of the reply. */
function reported(error: unknown): Failure | null | undefined {
  const failure = error as Failure | null | undefined;
  const cause = failure?.cause as Failure | null | undefined;
  return Number(failure?.statusCode) < 300 && Number(cause?.statusCode) >= 300 ? cause : failure;
}

/** HTTP status of an error from the AI SDK, whether from a response or inside a stream. */
export function statusOf(error: unknown): number | undefined {
  const status = reported(error)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** Whether a rate limit would not let the request through at any time: OpenAI answers 429 for one of too many tokens. */
const isTooLarge = (error: unknown) => /request too large/i.test(providerText(error));

/** Whether the provider is down or busy by this status, and so for other requests as well. */
export function isBusy(status: number, error: unknown): boolean {
  return status === 408 || status >= 500 || (status === 429 && !isTooLarge(error));
}

/** Whether the provider answered a request with a status that says that it takes none now, which every server would get. */
export function isRefusal(error: unknown): boolean {
  // What is reported inside an answer has no headers of a response.
  if (!APICallError.isInstance(error) || error.responseHeaders === undefined) return false;
  const { statusCode = 0 } = error;
  return statusCode !== 408 && isBusy(statusCode, error);
}

/** The provider's own error code, such as `insufficient_quota`. */
export function providerCodeOf(error: unknown): string | undefined {
  const failure = reported(error);
  const code = failure?.data?.error?.code ?? failure?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The system's error code of a failed or broken connection, from anywhere in the chain of causes. */
export function networkCodeOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth += 1) {
    const { code } = current as { code?: unknown };
    if (
      typeof code === 'string' &&
      (UNREACHABLE.has(code) || /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code))
    )
      return code;
  }
  return undefined;
}

/** Seconds after which to retry, from `retry-after` (seconds or a date) or `retry-after-ms`. */
export function retryAfterSecondsOf(error: unknown, now = Date.now()): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return ms / 1000;
  const value = headers?.['retry-after'];
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number.isNaN(Number(value)) ? (Date.parse(value) - now) / 1000 : Number(value);
  return seconds >= 0 ? seconds : undefined;
}

function describe(error: unknown, { provider, modelId }: ModelName): Described {
  const who = `The model provider "${provider}"`;
  const status = statusOf(error);
  const code = providerCodeOf(error);
  if (code === 'insufficient_quota') {
    return [
      `The quota at ${who.charAt(0).toLowerCase()}${who.slice(1)} is used up.`,
      { code: 'provider_rate_limit', hint: 'Check plan and billing at the provider.' },
    ];
  }
  const problem = setupProblem({ provider, modelId, status, text: providerText(error) });
  if (problem !== undefined) return problem;
  if (status === 404 || code === 'model_not_found') {
    return [
      `${who} does not know the model "${modelId}".`,
      {
        code: 'provider_model_not_found',
        hint: `Check the name of the model and the base URL.${withoutResponses({ provider })}`,
      },
    ];
  }
  if (status === 401 || status === 403) {
    return [`${who} refused the API key.`, { code: 'provider_auth_error', hint: 'Check the API key and its rights.' }];
  }
  if (status === 429) {
    const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSecondsOf(error) ?? DEFAULT_RETRY_AFTER_SECONDS));
    return [
      `${who} takes no more requests at the moment.`,
      {
        code: 'provider_rate_limit',
        retryAfterSeconds,
        hint: `Its limit allows the next one in ${retryAfterSeconds} s.`,
      },
    ];
  }
  if (status === 408 || status === 504) {
    return [
      `${who} did not answer in time.`,
      {
        code: 'provider_timeout',
        hint: 'Check the load of its server and the timeouts of gateways in front of it, or choose a faster model.',
      },
    ];
  }
  // With a status the answer had begun, so the provider was reachable and the connection broke later.
  const networkCode = status === undefined ? networkCodeOf(error) : undefined;
  if (networkCode !== undefined) {
    const hint = EXHAUSTED.has(networkCode)
      ? 'Atlas has run out of file descriptors, ports or memory: raise its limits.'
      : 'Check that it runs, the base URL and the network.';
    return [`${who} cannot be reached.`, { code: 'provider_unreachable', hint }];
  }
  if (status !== undefined && status < 300 && isBrokenOff(error)) {
    return [
      `The answer of the model provider "${provider}" broke off.`,
      {
        code: 'provider_error',
        reason: 'E_MODEL_BROKE_OFF',
        hint: 'Check the timeouts of the provider and of gateways in front of it; the log has the details.',
      },
    ];
  }
  if (status !== undefined && status >= 300) {
    return [`${who} answered with an error (status ${status}).`, { code: 'provider_error', hint: LOG_HINT }];
  }
  return [`${who} sent an answer that cannot be used.`, { code: 'provider_error', hint: LOG_HINT }];
}

/** Whether the connection ended, or the stream, before the answer did. */
const isBrokenOff = (error: unknown) =>
  networkCodeOf(error) !== undefined || /broke off|terminated|aborted|premature close/i.test(providerText(error));

/** Returns an `AtlasError` as it is; converts any other error by its status and code. */
export function providerError(error: unknown, model: ModelName): AtlasError {
  if (error instanceof AtlasError) return error;
  const [message, init] = describe(error, model);
  return new AtlasError(message, { reason: 'E_MODEL', ...init, cause: error });
}
