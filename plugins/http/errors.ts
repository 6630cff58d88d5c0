/** Lists every error code that a client may see, with its status and what it means: the one table of the interface. */

export interface ErrorCode {
  readonly status: number;
  /** For documentation, and the message where none is given. */
  readonly meaning: string;
}

export const errorCodes = {
  invalid_request: { status: 400, meaning: 'The request is malformed, or a parameter is not valid.' },
  configuration_error: { status: 400, meaning: 'Atlas is not fully configured for this.' },
  connection_failed: { status: 400, meaning: 'The connection was tested and does not work; nothing was saved.' },
  no_datasource: { status: 400, meaning: 'No datasource is configured.' },
  sql_refused: { status: 400, meaning: 'The statement is not one that may run.' },
  sql_failed: { status: 400, meaning: 'The database rejected the statement.' },
  invalid_bot_token: { status: 400, meaning: 'The chat platform does not accept the bot token.' },
  provider_model_not_found: { status: 400, meaning: 'The configured model does not exist.' },
  auth_error: { status: 401, meaning: 'Authentication is missing or not valid (401), or the role is too low (403).' },
  forbidden: { status: 403, meaning: 'This is not allowed.' },
  ip_not_allowed: { status: 403, meaning: 'The address that the request comes from is not on the allowlist.' },
  not_found: { status: 404, meaning: 'There is nothing at this address.' },
  not_available: { status: 404, meaning: 'This feature is not available in this composition.' },
  method_not_allowed: { status: 405, meaning: 'This address exists, but not with this method; see Allow.' },
  conflict: { status: 409, meaning: 'The state does not allow this any more.' },
  payload_too_large: { status: 413, meaning: 'The request body is too large.' },
  unsupported_media_type: { status: 415, meaning: 'The request body must be JSON in UTF-8: application/json.' },
  validation_error: { status: 422, meaning: 'The request body does not match its schema; see details.' },
  rate_limited: { status: 429, meaning: 'There were too many requests; try again later.' },
  budget_exhausted: { status: 429, meaning: 'The token budget is used up until it renews.' },
  provider_rate_limit: { status: 429, meaning: 'The model provider limits the rate of requests.' },
  internal_error: { status: 500, meaning: 'Something went wrong inside Atlas.' },
  provider_auth_error: { status: 502, meaning: 'The model provider refused the credentials.' },
  provider_unreachable: { status: 502, meaning: 'The model provider could not be reached.' },
  provider_error: { status: 502, meaning: 'The model provider answered with an error.' },
  platform_unreachable: { status: 502, meaning: 'The chat platform could not be reached.' },
  datasource_unavailable: { status: 503, meaning: 'The database cannot be reached; try again shortly.' },
  overloaded: { status: 503, meaning: 'Atlas is overloaded; try again shortly.' },
  unavailable: {
    status: 503,
    meaning: 'Atlas, or its internal database, is not available right now; try again shortly.',
  },
  sql_timeout: { status: 504, meaning: 'The statement did not finish in time.' },
  provider_timeout: { status: 504, meaning: 'The model provider did not answer in time.' },
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof errorCodes;

/** Body of every error answer. */
export interface ErrorBody {
  readonly error: string;
  /** What the authentication library calls the error, for its own client. */
  readonly code?: string;
  readonly message: string;
  readonly requestId: string;
  readonly retryAfterSeconds?: number;
  readonly details?: readonly unknown[];
}
