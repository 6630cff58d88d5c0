/** What a person is told of a failed request. */
import { TEXTS } from '../texts.ts';

export interface Failure {
  /** What went wrong and what to do next. */
  readonly message: string;
  /** The status of the answer; 0 where the server was not reached. */
  readonly status: number;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** A request that was refused or did not arrive. */
export class ApiError extends Error implements Failure {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Failure['details'];

  constructor({ message, status, code, requestId, retryAfterSeconds, details }: Failure) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}

/** The error of an answer that is not a success. What is no error of Atlas, such as a proxy's page, is not shown. */
export async function failureOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const retryAfterSeconds = Number(headers.get('retry-after') ?? 0);
  // The chat says it in one line.
  if (headers.get('content-type')?.startsWith('text/plain') && text !== '') {
    return new ApiError({ message: text, status, retryAfterSeconds });
  }
  try {
    const { error, message, requestId, details } = JSON.parse(text);
    if (typeof message === 'string') {
      return new ApiError({ message, status, code: error, requestId, retryAfterSeconds, details });
    }
  } catch {
    // It is no JSON.
  }
  return new ApiError({ message: TEXTS.failure.format, status, retryAfterSeconds });
}

/** Any error as people read it. */
export function messageOf(error: unknown): string {
  // A connection that was lost in the middle of an answer, in the words of each browser.
  if (error instanceof TypeError) return TEXTS.failure.network;
  // What the AI SDK says of a stream that it cannot read is for programmers, and quotes the stream.
  if (error instanceof Error && error.name.startsWith('AI_')) return TEXTS.failure.format;
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
