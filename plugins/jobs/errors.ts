/** Defines the error by which a job says whether and when it is tried again. */

export interface JobErrorInit {
  /** Wait before the next attempt, instead of the kind's. */
  readonly retryAfterMs?: number | undefined;
  /** No further attempt. */
  readonly final?: boolean;
  readonly cause?: unknown;
}

export class JobError extends Error {
  readonly retryAfterMs: number | undefined;
  readonly final: boolean;

  constructor(message: string, init: JobErrorInit = {}) {
    super(message, { cause: init.cause });
    this.name = 'JobError';
    this.retryAfterMs = init.retryAfterMs;
    this.final = init.final ?? false;
  }
}
