/** Notices when further tool calls bring nothing new, so that the model is asked to answer from what it has. */

/** Calls that fail with the same error. */
const MAX_SAME_ERROR = 3;
/** Steps in a row in which every call fails, whatever the errors. */
const MAX_FAILED_STEPS = 6;

export interface FinishedCall {
  readonly toolName: string;
  readonly args: unknown;
  /** Why the call failed; `undefined` when it succeeded. */
  readonly error: string | undefined;
  readonly result: unknown;
}

/** Why no further call is made, in one sentence for the model. */
export type Standstill = string | undefined;

/** The progress of one question. */
export class Progress {
  /** The result of each call, by tool and arguments. */
  readonly #results = new Map<string, unknown>();
  readonly #errors = new Map<string, number>();
  #failedSteps = 0;

  /** Takes the calls of one step; returns why there is no progress any more. */
  step(calls: readonly FinishedCall[]): Standstill {
    let sameError: string | undefined;
    let isNew = false;
    for (const call of calls) {
      if (call.error === undefined) isNew = this.#isNew(call) || isNew;
      else if (this.#counted(call.error) >= MAX_SAME_ERROR) sameError = call.error;
    }
    const hasFailed = calls.every(({ error }) => error !== undefined);
    this.#failedSteps = hasFailed ? this.#failedSteps + 1 : 0;
    if (sameError !== undefined && !isNew)
      return `Calls failed ${MAX_SAME_ERROR} times with the same error: ${sameError}`;
    if (!hasFailed && !isNew) return 'The same call was made again and gave the same result.';
    return this.#failedSteps >= MAX_FAILED_STEPS ? `No call succeeded in ${MAX_FAILED_STEPS} steps.` : undefined;
  }

  #counted(error: string): number {
    const times = (this.#errors.get(error) ?? 0) + 1;
    this.#errors.set(error, times);
    return times;
  }

  #isNew({ toolName, args, result }: FinishedCall): boolean {
    const key = `${toolName} ${jsonOf(args, true)}`;
    const isKnown = this.#results.has(key);
    const before = this.#results.get(key);
    this.#results.set(key, result);
    return !isKnown || jsonOf(before) !== jsonOf(result);
  }
}

/** `isLoose`: white space in texts makes no difference. */
function jsonOf(value: unknown, isLoose = false): string | undefined {
  const plain = (_: string, item: unknown) => {
    if (isLoose && typeof item === 'string') return item.replace(/\s+/g, ' ').trim();
    return typeof item === 'bigint' ? `${item}` : item;
  };
  return JSON.stringify(value, plain);
}
