/**
 * Defines the kernel's errors. What a client may see is `code` (lower_snake, the interface's table), `message` and `hint`;
 * `reason` (E_NOUN_PROBLEM) tells developers which rule of the kernel spoke.
 */

export interface AtlasErrorInit {
  /** Client-visible code, such as `no_datasource`. Default `internal_error`. */
  readonly code?: string | undefined;
  /** Internal reason, such as `E_HOOK_TIMEOUT`. */
  readonly reason?: string | undefined;
  /** What to do next, one sentence. */
  readonly hint?: string | undefined;
  /** Seconds after which a retry may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: readonly unknown[] | undefined;
  /** A second code, for clients that are written for a library behind Atlas and know its codes. */
  readonly libraryCode?: string | undefined;
  readonly cause?: unknown;
}

/** An error whose message is written for the person who reads it: one clear sentence, no secret, no stack. */
export class AtlasError extends Error {
  readonly code: string;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: readonly unknown[] | undefined;
  readonly libraryCode: string | undefined;
  /** Plugin and hook in which the error arose; set by the dispatcher. */
  plugin: string | undefined;
  hook: string | undefined;

  constructor(message: string, init: AtlasErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'AtlasError';
    this.code = init.code ?? 'internal_error';
    this.reason = init.reason;
    this.hint = init.hint;
    this.retryAfterSeconds = init.retryAfterSeconds;
    this.details = init.details;
    this.libraryCode = init.libraryCode;
  }
}

/** One thing wrong with a composition, found before anything was started. */
export interface BootProblem {
  /** `undefined`: the composition as a whole. */
  readonly plugin: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The composition cannot start. Carries every problem found, not only the first. */
export class BootError extends AtlasError {
  readonly problems: readonly BootProblem[];
  constructor(problems: readonly BootProblem[], cause?: unknown) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    const lines = problems.map(({ plugin, message, hint }) =>
      ['  -', plugin && `${plugin}:`, message, hint].filter((part) => part !== undefined).join(' '),
    );
    const init = { code: 'configuration_error', reason: 'E_BOOT', cause };
    super(`Atlas cannot start, ${count}:\n${lines.join('\n')}`, init);
    this.name = 'BootError';
    this.problems = problems;
  }
}

/** The text of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : 'unknown error';
}

/** The text of anything thrown with those of its causes, for logs: what a cause says and the error does not say itself. */
export function messagesOf(error: unknown): string {
  const messages = [messageOf(error)];
  for (let cause = causeOf(error), depth = 0; cause !== undefined && depth < 8; cause = causeOf(cause), depth += 1) {
    const message = messageOf(cause);
    if (!messages.some((said) => said.includes(message))) messages.push(message);
  }
  return messages.join(' Cause: ');
}

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined);
