/** Answers anything thrown: with status, headers and body, and nothing that the client must not see. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AtlasError, messageOf, messagesOf, type PluginContext, type Scope } from '../../../kernel/index.ts';
import { CREDENTIALS_REJECTED, ROLE_TOO_LOW } from '../../auth-kit/index.ts';
import { type ErrorBody, type ErrorCodeName, errorCodes } from '../errors.ts';

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** Client faults that Fastify finds by itself, by its code. */
const FASTIFY_FAULTS: Readonly<Record<string, { readonly code: ErrorCodeName; readonly message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', message: 'The request body is too large.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: errorCodes.unsupported_media_type.meaning,
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The request body is not as long as its Content-Length says.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_request', message: 'The request body is not valid JSON.' },
};

function asAtlasError(error: unknown, bodyLimit?: number): AtlasError {
  if (error instanceof AtlasError) return error;
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : FASTIFY_FAULTS[code];
  if (known !== undefined) {
    const isTooLarge = known.code === 'payload_too_large' && bodyLimit !== undefined;
    const hint = isTooLarge && { hint: `At most ${bodyLimit.toLocaleString('en')} bytes are accepted.` };
    return new AtlasError(known.message, { code: known.code, cause: error, ...hint });
  }
  const atFault = statusCode !== undefined && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_');
  if (atFault) return new AtlasError(errorCodes.invalid_request.meaning, { code: 'invalid_request', cause: error });
  return new AtlasError(messageOf(error), { cause: error });
}

function textOf(error: AtlasError, code: ErrorCodeName, requestId: string): string {
  if (code === 'internal_error') {
    return `Something went wrong inside Atlas. Try again; if it stays, tell the operator the request id ${requestId}.`;
  }
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** What RFC 6750 asks of a 401: the scheme, and whether a credential was sent that is not good. */
function challenge({ reason }: AtlasError): string {
  return `Bearer realm="atlas"${reason === CREDENTIALS_REJECTED ? ', error="invalid_token"' : ''}`;
}

/** Where the error does not say when trying again makes sense. */
const DEFAULT_WAIT_SECONDS = 5;

/** What to answer. An error that is not written for clients becomes `internal_error` with a neutral sentence. */
export function failureOf(thrown: unknown, requestId: string, bodyLimit?: number): Failure {
  const error = asAtlasError(thrown, bodyLimit);
  const code = Object.hasOwn(errorCodes, error.code) ? (error.code as ErrorCodeName) : 'internal_error';
  const status = code === 'auth_error' && error.reason === ROLE_TOO_LOW ? 403 : errorCodes[code].status;
  const { retryAfterSeconds, details, libraryCode } = error;
  const waitSeconds = retryAfterSeconds ?? (status === 429 || status === 503 ? DEFAULT_WAIT_SECONDS : undefined);
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': challenge(error) }),
      ...(waitSeconds !== undefined && { 'retry-after': String(Math.max(0, Math.ceil(waitSeconds))) }),
    },
    body: {
      error: code,
      ...(libraryCode !== undefined && code !== 'internal_error' && { code: libraryCode }),
      message: textOf(error, code, requestId),
      requestId,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(details !== undefined && code !== 'internal_error' && { details }),
    },
  };
}

/** Why a request was refused that came before the server was ready, or while it stops. */
export const NOT_SERVING = 'E_NOT_SERVING';

/** Why a scope ended whose client did not wait for the answer. */
const CLIENT_GONE = 'E_CLIENT_GONE';

export function clientGone(): AtlasError {
  return new AtlasError('The client has left.', { reason: CLIENT_GONE });
}

/**
 * Logs what the answer hides: with its stack when it is our fault, in one line when it is the client's. Work that was
 * cancelled because the client has left is no failure.
 */
export function logFailure(thrown: unknown, failure: Failure, scope: Scope, ctx: PluginContext): void {
  const log = ctx.logOf(scope);
  const gone = scope.signal.aborted && (scope.signal.reason as Partial<AtlasError>).reason === CLIENT_GONE;
  // Refusals of an overload are as many as the requests: the server says once in a while that it refuses.
  const isEarlyOrLate = thrown instanceof AtlasError && thrown.reason === NOT_SERVING;
  if (gone || failure.status < 500 || failure.body.error === 'overloaded' || isEarlyOrLate) {
    log.debug(
      { code: failure.body.error, error: messagesOf(thrown) },
      gone ? 'A request was given up.' : 'A request was refused.',
    );
    return;
  }
  const { plugin, hook, cause } = thrown instanceof AtlasError ? thrown : ({} as Partial<AtlasError>);
  const origin = cause instanceof Error ? cause : thrown;
  log.error(
    {
      code: failure.body.error,
      error: messagesOf(thrown),
      ...(plugin !== undefined && { plugin }),
      ...(hook !== undefined && { hook }),
      ...(failure.status === 500 && origin instanceof Error && { stack: origin.stack }),
    },
    'A request failed.',
  );
}

/** Answers a request with an error, unless its client has left. */
export function answerError(ctx: PluginContext, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.destroyed) {
    ctx.logOf(request.scope).debug({ error: messagesOf(error) }, 'A request was given up.');
    return;
  }
  const failure = failureOf(error, request.id, request.routeOptions?.bodyLimit);
  logFailure(error, failure, request.scope, ctx);
  // Fastify closes the connection after a body that it refuses. Read to its end instead: a client that is still
  // sending would otherwise meet a reset and never see the answer.
  reply.removeHeader('connection');
  reply.code(failure.status).headers(failure.headers).send(failure.body);
}
