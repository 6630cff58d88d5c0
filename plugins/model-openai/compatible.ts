/** Makes models of servers that speak Chat Completions, with the AI SDK's package for them. */

import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { type Connections, type EventFilter, fetchOver, loadPackage, type ReplyFilter } from '../model-kit/index.ts';
import { DOCUMENT_FILTER, STREAM_FILTER } from './chat-filter.ts';
import type { OpenaiModelOptions } from './options.ts';

type Body = Parameters<NonNullable<OpenAICompatibleProviderSettings['transformRequestBody']>>[0];

/** GPT-5.6 and its successors refuse function tools with reasoning in this API. */
const WITHOUT_REASONING = /^gpt-5\.([6-9]|\d\d)/;

/** Servers that do not know the request for usage name it in their error. */
const UNKNOWN_USAGE = /stream_options|include_usage/;

export async function compatibleModel(
  modelId: string,
  { baseUrl = '', apiKey, body: fields }: OpenaiModelOptions,
  connections: Connections,
): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await loadPackage(() => import('@ai-sdk/openai-compatible'));
  const reasoning = new ReasoningField();
  const made = (filter: ReplyFilter, includeUsage: boolean) =>
    createOpenAICompatible({
      name: 'openaiCompatible',
      baseURL: baseUrl,
      ...(apiKey && { apiKey }),
      includeUsage,
      fetch: fetchOver(connections, { filter: reasoning.watched(filter), body: fields }),
      transformRequestBody: (body: Body) => reasoning.renamed(withoutReasoning(body)),
    })(modelId);
  const documents = made(DOCUMENT_FILTER, false);
  let streams = made(STREAM_FILTER, true);
  return {
    specificationVersion: 'v4',
    provider: 'openai-compatible',
    modelId,
    supportedUrls: {},
    doGenerate: (options) => documents.doGenerate(options),
    async doStream(options) {
      try {
        return await streams.doStream(options);
      } catch (error) {
        if (!APICallError.isInstance(error) || !UNKNOWN_USAGE.test(error.responseBody ?? '')) throw error;
        streams = made(STREAM_FILTER, false);
        return streams.doStream(options);
      }
    },
  };
}

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
