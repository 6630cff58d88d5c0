/** Makes models of servers that speak Chat Completions, with the AI SDK's package for them. */
import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import {
  type Connections,
  callForDocument,
  type EventFilter,
  fetchOver,
  loadPackage,
  type ReplyFilter,
} from '../model-kit/index.ts';
import { type ChatDocument, DOCUMENT_READER, STREAM_FILTER } from './chat-filter.ts';
import type { OpenaiModelOptions } from './options.ts';
import { RequestJson } from './request-json.ts';

type Body = Parameters<
  NonNullable<ConstructorParameters<typeof OpenAICompatibleChatLanguageModel>[1]['transformRequestBody']>
>[0];

/** GPT-5.6 and its successors refuse function tools with reasoning in this API. */
const WITHOUT_REASONING = /^gpt-5\.([6-9]|\d\d)/;

/** Servers that do not know the request for usage name it in their error. */
const UNKNOWN_USAGE = /stream_options|include_usage/;

export async function compatibleModel(
  modelId: string,
  { baseUrl = '', apiKey, body: fields }: OpenaiModelOptions,
  connections: Connections,
): Promise<LanguageModelV4> {
  const { OpenAICompatibleChatLanguageModel: ChatModel, VERSION } = await loadPackage(
    () => import('@ai-sdk/openai-compatible'),
  );
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/chat/completions`);
  const headers = {
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    'user-agent': `ai-sdk-openai-compatible/${VERSION}`,
  };
  const reasoning = new ReasoningField();
  const json = new RequestJson();
  const made = (includeUsage: boolean) =>
    new ChatModel(modelId, {
      provider: 'openaiCompatible.chat',
      url: () => url.href,
      headers,
      includeUsage,
      fetch: fetchOver(connections, { filter: reasoning.watched(STREAM_FILTER) }),
      transformRequestBody: (body: Body) => ({ ...reasoning.renamed(withoutReasoning(body)), ...fields }),
    });
  let model = made(true);
  return {
    specificationVersion: 'v4',
    provider: 'openai-compatible',
    modelId,
    supportedUrls: {},
    // The package writes a request twice and reads a reply through `fetch`: most of what a call costs.
    async doGenerate(options) {
      const { body, warnings } = await model.prepareRequest(options);
      const call = {
        url,
        headers: { 'content-type': 'application/json', ...headers, ...options.headers },
        body: json.write(body),
        signal: options.abortSignal,
      };
      const reply = await callForDocument(connections, call, DOCUMENT_READER);
      reasoning.found(reply.value);
      return { ...(await model.convertResponse({ body: reply.value, ...providerOptionsOf(options) })), warnings };
    },
    async doStream(options) {
      try {
        return await model.doStream(options);
      } catch (error) {
        if (!APICallError.isInstance(error) || !UNKNOWN_USAGE.test(error.responseBody ?? '')) throw error;
        model = made(false);
        return model.doStream(options);
      }
    },
  };
}

const providerOptionsOf = ({ providerOptions }: LanguageModelV4CallOptions) =>
  providerOptions === undefined ? {} : { providerOptions };

/** A message of the request, as far as it matters here. */
type SentMessage = { readonly reasoning_content?: unknown };

const withoutReasoning = (body: Body): Body =>
  body.tools !== undefined && WITHOUT_REASONING.test(body.model) ? { ...body, reasoning_effort: 'none' } : body;

/** The name under which the server sends reasoning, and wants it back: `reasoning` or `reasoning_content`. */
class ReasoningField {
  #name = 'reasoning_content';

  watched(filter: ReplyFilter): ReplyFilter {
    const { events } = filter;
    return {
      ...filter,
      document: (text) => this.#watch(filter.document(text)),
      ...(events !== undefined && { events: () => this.#watchedEvents(events()) }),
    };
  }

  found({ choices: [{ message }] }: ChatDocument): void {
    if (message.reasoning_content !== undefined) this.#name = 'reasoning_content';
    else if (message.reasoning !== undefined) this.#name = 'reasoning';
  }

  #watchedEvents(events: EventFilter): EventFilter {
    return {
      read: (piece) => this.#watch(events.read(piece)),
      end: () => this.#watch(events.end()),
      get isComplete() {
        return events.isComplete === true;
      },
    };
  }

  /** Quotes inside texts are escaped, so that only a field is found. */
  #watch(repaired: string): string {
    this.#name = /"(reasoning|reasoning_content)":"/.exec(repaired)?.[1] ?? this.#name;
    return repaired;
  }

  /** The package sends `reasoning_content`. */
  renamed(body: Body): Body {
    if (this.#name === 'reasoning_content') return body;
    const messages = (body.messages as SentMessage[]).map(({ reasoning_content: reasoning, ...message }) =>
      reasoning === undefined ? message : { ...message, reasoning },
    );
    return { ...body, messages };
  }
}
