/** Wraps language models: retries, a limit of time, a circuit breaker, a fallback, health, and a log without secrets. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { AtlasError, type HealthItem, type Logger, messagesOf } from '../../kernel/index.ts';
import type { Attempts } from '../shared-limits/index.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { errorOf } from './errors.ts';
import { hideSecrets, withoutSecrets } from './hide-secrets.ts';
import { withModelNames } from './model-names.ts';
import type { ResilienceOptions } from './options.ts';
import { isBusy, isRefusal, networkCodeOf, providerCodeOf, providerError, statusOf } from './provider-errors.ts';
import { withRetries } from './retry.ts';
import { SharedBreaker } from './shared-breaker.ts';
import type { ModelSource } from './source.ts';
import { type Sign, startedStream } from './stream-start.ts';

/** Limit for what a provider says about its failure, in the log. */
const LONGEST_MESSAGE_CHARS = 1_000;

/**
 * Failed calls in a row that open a circuit breaker when one of another server is open. One alone may be chance, and the other
 * server may have lost its network.
 */
const FAILURES_AFTER_OTHERS = 2;

type CallOptions = LanguageModelV4CallOptions;
type Invoke<T> = (model: LanguageModelV4, options: CallOptions) => PromiseLike<T>;

/** Failures that other calls at that time would meet too. */
function isUnavailable(error: unknown): boolean {
  const status = statusOf(error);
  if (error instanceof AtlasError) return error.code === 'provider_timeout';
  if (status === undefined || status < 300) return networkCodeOf(error) !== undefined;
  return isBusy(status, error);
}

/** The signal with a limit of time beside it, until `stop`. */
function limited(signal: AbortSignal | undefined, limitMs: number | undefined, reason: () => AtlasError) {
  if (limitMs === undefined) return { signal, stop() {} };
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(reason()), limitMs);
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    stop: () => clearTimeout(timer),
  };
}

/** One model with its retries, circuit breaker and last call. */
class GuardedModel {
  readonly source: ModelSource;
  readonly #options: ResilienceOptions;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #breaker: CircuitBreaker;
  /** Where servers tell each other that they cannot reach a provider. */
  readonly #others: Attempts | undefined;
  readonly #shared: SharedBreaker | undefined;
  /** The same on every server, and no other model's. */
  readonly #name: string;
  #loading: Promise<LanguageModelV4> | undefined;
  #failure: AtlasError | undefined;
  #lastCall: { readonly at: string; readonly ms: number } | undefined;

  constructor(source: ModelSource, role: string, { options, log, now, shared }: Omit<ResilientModelInit, 'source'>) {
    this.source = source;
    this.#options = options;
    this.#log = log;
    this.#now = now;
    this.#name = `${source.provider} ${source.modelId} ${role}`;
    this.#others = shared;
    const breaker = { failures: options.breakerFailures, openMs: options.breakerOpenMs };
    this.#shared = shared && new SharedBreaker(shared, this.#name, breaker);
    this.#breaker = new CircuitBreaker(breaker);
  }

  /** The model as its package made it. Rejects with `configuration_error` when something is missing. */
  async load(): Promise<LanguageModelV4> {
    if (this.source.missing !== undefined) throw this.source.missing;
    // A package that could not be loaded for want of memory or descriptors is loaded with the next question.
    this.#loading ??= this.source.load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** `limitMs`: until the answer begins, over all attempts. Rejects with an `AtlasError`. */
  async call<T>(options: CallOptions, invoke: Invoke<T>, limitMs: number | undefined): Promise<T> {
    const settle = this.#breaker.admit();
    if (settle === undefined) throw this.#refusal(this.#breaker.waitMs);
    const admission = await this.#shared?.admit();
    if (admission !== undefined && admission.waitMs > 0) {
      settle('unknown');
      throw this.#refusal(admission.waitMs);
    }
    const startedAt = performance.now();
    const { signal, stop } = limited(options.abortSignal, limitMs, () => this.#tooLong(limitMs ?? 0));
    try {
      const model = await this.load();
      const call = signal === undefined ? options : { ...options, abortSignal: signal };
      const result = await withRetries(() => invoke(model, call), this.#options.maxRetries, signal);
      settle('answered');
      admission?.settle('answered');
      this.#failure = undefined;
      return result;
    } catch (error) {
      const reason: unknown = signal?.aborted ? signal.reason : error;
      settle(isUnavailable(reason) ? 'unavailable' : 'unknown');
      admission?.settle(isRefusal(reason) ? 'refused' : 'unknown');
      if (isUnavailable(reason) && !isRefusal(reason)) void this.#share();
      throw await withModelNames(this.#failed(reason, signal), this.source, signal);
    } finally {
      stop();
      this.#lastCall = { at: new Date(this.#now()).toISOString(), ms: Math.round(performance.now() - startedAt) };
    }
  }

  /** Tells other servers of a breaker that is open for want of a connection, or asks whether one of theirs is. */
  async #share(): Promise<void> {
    const name = `${this.#name} unreachable`;
    if (this.#breaker.state === 'open') return this.#others?.remember(name, this.#options.breakerOpenMs);
    if (this.#breaker.failures < FAILURES_AFTER_OTHERS) return;
    const others = await this.#others?.count([], name);
    if (others?.isRemembered === true && this.#breaker.failures >= FAILURES_AFTER_OTHERS) this.#breaker.open();
  }

  /** The failure of an answer that had begun, as the reader of its stream gets it. */
  brokenOff(error: unknown, signal: AbortSignal | undefined): unknown {
    return signal?.aborted ? error : this.#failed(error, signal);
  }

  /** Remembers for health and logs what the client is not told. A call that its own client cancelled is no failure. */
  #failed(error: unknown, signal: AbortSignal | undefined): AtlasError {
    const { provider, modelId, secrets } = this.source;
    const failure = providerError(hideSecrets(errorOf(error), secrets), { provider, modelId });
    if (signal?.aborted && failure.code !== 'provider_timeout') return failure;
    this.#failure = failure;
    const providerCode = providerCodeOf(error);
    this.#log.warn(
      {
        provider,
        model: modelId,
        status: statusOf(error),
        providerCode: providerCode && withoutSecrets(providerCode, secrets),
        error: withoutSecrets(messagesOf(error), secrets).slice(0, LONGEST_MESSAGE_CHARS),
      },
      failure.message,
    );
    return failure;
  }

  #tooLong(ms: number): AtlasError {
    return new AtlasError(`The model provider "${this.source.provider}" did not begin to answer within ${ms} ms.`, {
      code: 'provider_timeout',
      reason: 'E_MODEL_TIMEOUT',
      hint: 'Check the load of its server, or choose a faster model.',
    });
  }

  /** What the question gets at once while no call is made. */
  #refusal(waitMs: number): AtlasError {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const last = this.failure;
    return new AtlasError(`${last?.message ?? 'The model provider failed.'} Atlas stopped calling it for now.`, {
      code: last?.code ?? 'provider_error',
      reason: 'E_MODEL_CIRCUIT_OPEN',
      retryAfterSeconds: seconds,
      hint: `It is tried again in ${seconds} s.`,
      cause: last,
    });
  }

  get details() {
    const { provider, modelId: model } = this.source;
    return {
      provider,
      model,
      circuitBreaker: this.#shared?.isOpen ? 'open' : this.#breaker.state,
      ...(this.#lastCall !== undefined && { lastCallAt: this.#lastCall.at, lastCallMs: this.#lastCall.ms }),
    };
  }

  /** From the last call; `undefined` when it went well. */
  get failure(): AtlasError | undefined {
    return this.source.missing ?? this.#failure ?? (this.#shared?.isOpen ? this.#failedElsewhere() : undefined);
  }

  #failedElsewhere(): AtlasError {
    return new AtlasError(`The model provider "${this.source.provider}" answers other servers with errors.`, {
      code: 'provider_error',
      reason: 'E_MODEL',
      hint: 'Look for the answer in their log.',
    });
  }
}

/** A model with all its protection. */
export interface ResilientModel {
  /** Rejects with `configuration_error` when the configuration lacks something. */
  resolve(): Promise<LanguageModelV4>;
  /** From the last calls; it makes none. */
  health(): HealthItem;
  close(): void;
}

export interface ResilientModelInit {
  readonly source: ModelSource;
  /** Asked when the first model fails or does not begin in time. */
  readonly fallback?: ModelSource | undefined;
  readonly options: ResilienceOptions;
  readonly log: Logger;
  /** Clock of the health report, in milliseconds. */
  readonly now: () => number;
  /** Where servers tell each other of open circuit breakers; without it they are each server's own. */
  readonly shared?: Attempts | undefined;
}

export function resilientModel({ source, fallback, ...init }: ResilientModelInit): ResilientModel {
  const { options, log } = init;
  const first = new GuardedModel(source, 'first', init);
  const second = fallback && new GuardedModel(fallback, 'fallback', init);

  const call = async <T>(asked: CallOptions, invoke: (guard: GuardedModel) => Invoke<T>): Promise<T> => {
    if (second === undefined) return first.call(asked, invoke(first), undefined);
    try {
      return await first.call(asked, invoke(first), options.fallbackAfterMs);
    } catch (error) {
      if (asked.abortSignal?.aborted) throw error;
      log.warn({ provider: fallback?.provider, model: fallback?.modelId }, 'The fallback model is asked.');
      return second.call(asked, invoke(second), undefined).catch((failure: unknown) => {
        throw asked.abortSignal?.aborted ? failure : bothFailed(error as AtlasError, failure as AtlasError);
      });
    }
  };

  /** The agent learns from an answer's metadata that the fallback gave it. */
  const signedBy =
    (guard: GuardedModel): Sign =>
    (answer) => {
      if (guard === first) return answer;
      const { provider, modelId } = guard.source;
      return { ...answer, providerMetadata: { ...answer.providerMetadata, atlas: { provider, modelId } } };
    };

  let model: LanguageModelV4 | undefined;
  return {
    async resolve() {
      const loaded = await first.load();
      model ??= {
        specificationVersion: 'v4',
        provider: loaded.provider,
        modelId: loaded.modelId,
        supportedUrls: loaded.supportedUrls,
        doGenerate: (asked) =>
          call<LanguageModelV4GenerateResult>(asked, (guard) => async (each, own) => {
            return signedBy(guard)(await each.doGenerate(own));
          }),
        doStream: (asked) =>
          call<LanguageModelV4StreamResult>(asked, (guard) => async (each, own) => {
            const onFailure = (error: unknown) => guard.brokenOff(error, own.abortSignal);
            return startedStream(await each.doStream(own), onFailure, signedBy(guard));
          }),
      };
      return model;
    },
    health: () => healthOf(first, second),
    close() {
      source.close?.();
      fallback?.close?.();
    },
  };
}

/** The first model's failure is the one to mend. */
function bothFailed(first: AtlasError, second: AtlasError): AtlasError {
  const { code, reason, hint, retryAfterSeconds } = first;
  return new AtlasError(`${first.message} The fallback failed too: ${second.message}`, {
    code,
    reason,
    hint,
    retryAfterSeconds,
    cause: first,
  });
}

function healthOf(first: GuardedModel, second: GuardedModel | undefined): HealthItem {
  const item = {
    component: 'provider',
    details: { ...first.details, ...(second !== undefined && { fallback: second.details }) },
  };
  const { missing } = first.source;
  if (missing !== undefined)
    return { ...item, status: 'not_configured', message: `${missing.message} ${missing.hint}` };
  if (first.failure !== undefined) {
    const works = second !== undefined && second.failure === undefined;
    return { ...item, status: works ? 'degraded' : 'error', message: first.failure.message };
  }
  if (second?.failure === undefined) return { ...item, status: 'ok' };
  return { ...item, status: 'degraded', message: `The fallback: ${second.failure.message}` };
}
