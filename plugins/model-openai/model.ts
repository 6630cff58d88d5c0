/** Provides the language model, with retries and a health report. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { AtlasError, type HealthItem, type Logger, messageOf } from '../../kernel/index.ts';
import { providerCodeOf, providerError, statusOf } from '../agent/index.ts';
import { chatCompletions } from './chat-completions.ts';
import { type Connections, keptConnections } from './connections.ts';
import { fetchOver } from './fetch.ts';
import { hideKey, withoutKey } from './hide-key.ts';
import { DEFAULT_MODELS, type ModelOpenaiOptions, OPENAI_URL } from './options.ts';
import { withRetries } from './retry.ts';

/** Answers are not kept at the provider; reasoning travels in the request instead. */
const RESPONSES_OPTIONS = { openai: { store: false } };

/** Of what a provider says about its failure, in the log. */
const LONGEST_MESSAGE_CHARS = 1_000;

type Part = LanguageModelV4StreamPart;

const withoutKeyInErrors = (apiKey: string | undefined) =>
  new TransformStream<Part, Part>({
    transform(part, controller) {
      if (part.type === 'error') hideKey(part.error, apiKey);
      controller.enqueue(part);
    },
  });

export class OpenaiModel {
  readonly provider: ModelOpenaiOptions['provider'];
  readonly modelId: string;
  readonly #options: ModelOpenaiOptions;
  readonly #log: Logger;
  readonly #connections: Connections;
  #model: LanguageModelV4 | undefined;
  #failure: AtlasError | undefined;

  /** Throws `configuration_error` for a base URL that is none. */
  constructor(options: ModelOpenaiOptions, log: Logger) {
    if (options.baseUrl !== undefined && !URL.canParse(options.baseUrl)) {
      throw new AtlasError('The base URL of the model provider is not a URL.', {
        code: 'configuration_error',
        hint: 'Give an http or https URL, such as http://127.0.0.1:11434/v1.',
      });
    }
    this.provider = options.provider;
    this.modelId = options.model ?? DEFAULT_MODELS[options.provider];
    this.#options = options;
    this.#log = log;
    this.#connections = keptConnections();
  }

  /** What is missing in the configuration; `undefined` when nothing is. */
  get #missing(): AtlasError | undefined {
    const { provider, apiKey, baseUrl } = this.#options;
    const missing =
      provider === 'openai' && !apiKey
        ? ([
            'The model provider "openai" needs an API key.',
            'Set OPENAI_API_KEY, or choose another provider.',
          ] as const)
        : provider === 'openai-compatible' && baseUrl === undefined
          ? (['The model provider "openai-compatible" needs a base URL.', 'Set OPENAI_BASE_URL to it.'] as const)
          : undefined;
    return missing && new AtlasError(missing[0], { code: 'configuration_error', hint: missing[1] });
  }

  /** Rejects with `configuration_error` when key or base URL is missing. */
  async resolve(): Promise<LanguageModelV4> {
    if (this.#missing !== undefined) throw this.#missing;
    this.#model ??= this.#resilient(await this.#load());
    return this.#model;
  }

  async #load(): Promise<LanguageModelV4> {
    const { provider, apiKey, baseUrl = OPENAI_URL } = this.#options;
    if (provider === 'openai-compatible') {
      return chatCompletions({ modelId: this.modelId, baseUrl, apiKey, connections: this.#connections });
    }
    // With the first question, not at the start: the package costs 150 ms and 25 MB.
    const { createOpenAI } = await import('@ai-sdk/openai').catch((cause: unknown) => {
      throw new AtlasError('The package of the model provider cannot be loaded.', {
        code: 'overloaded',
        reason: 'E_MODEL_LOAD',
        retryAfterSeconds: 5,
        hint: 'Ask again; when it stays so, check the installation.',
        cause,
      });
    });
    const fetch = fetchOver(this.#connections);
    const model = createOpenAI({ apiKey: apiKey ?? '', baseURL: baseUrl, fetch }).responses(this.modelId);
    const complete = (options: LanguageModelV4CallOptions) => ({
      ...options,
      providerOptions: { ...RESPONSES_OPTIONS, ...options.providerOptions },
    });
    return {
      specificationVersion: 'v4',
      provider,
      modelId: this.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => model.doGenerate(complete(options)),
      async doStream(options) {
        const result = await model.doStream(complete(options));
        return { ...result, stream: result.stream.pipeThrough(withoutKeyInErrors(apiKey)) };
      },
    };
  }

  #resilient(model: LanguageModelV4): LanguageModelV4 {
    const attempt = async <T>(options: LanguageModelV4CallOptions, call: (o: typeof options) => PromiseLike<T>) => {
      try {
        const result = await withRetries(() => call(options), this.#options.maxRetries, options.abortSignal);
        this.#failure = undefined;
        return result;
      } catch (error) {
        throw this.#failed(error, options.abortSignal);
      }
    };
    return {
      specificationVersion: 'v4',
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => attempt(options, (complete) => model.doGenerate(complete)),
      doStream: (options) => attempt(options, (complete) => model.doStream(complete)),
    };
  }

  /** Remembers for health and logs what the client is not told. A call that its own client cancelled is no failure. */
  #failed(error: unknown, signal: AbortSignal | undefined): AtlasError {
    const { apiKey } = this.#options;
    const failure = providerError(signal?.aborted ? signal.reason : hideKey(error, apiKey), this);
    if (signal?.aborted && failure.code !== 'provider_timeout') return failure;
    this.#failure = failure;
    const providerCode = providerCodeOf(error);
    this.#log.warn(
      {
        provider: this.provider,
        model: this.modelId,
        status: statusOf(error),
        providerCode: providerCode && withoutKey(providerCode, apiKey),
        error: messageOf(error).slice(0, LONGEST_MESSAGE_CHARS),
      },
      failure.message,
    );
    return failure;
  }

  /** From the last call; health makes no call. */
  health(): HealthItem {
    const item = { component: 'provider', details: { provider: this.provider, model: this.modelId } };
    const missing = this.#missing;
    if (missing !== undefined)
      return { ...item, status: 'not_configured', message: `${missing.message} ${missing.hint}` };
    if (this.#failure !== undefined) return { ...item, status: 'error', message: this.#failure.message };
    return { ...item, status: 'ok' };
  }

  close(): void {
    this.#connections.close();
  }
}
