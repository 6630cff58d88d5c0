/** Makes models of OpenAI's Responses API, with the AI SDK's package for it. */
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Connections, fetchOver, RefusedFields, type ReplyFilter } from '../model-kit/index.ts';
import { OPENAI_URL, type OpenaiModelOptions } from './options.ts';
import { DOCUMENT_FILTER, STREAM_FILTER } from './responses-filter.ts';

/** Answers are not kept at the provider; reasoning travels in the request instead. */
const RESPONSES_OPTIONS = { openai: { store: false } };

export function responsesModel(
  modelId: string,
  { apiKey = '', baseUrl = OPENAI_URL, body }: OpenaiModelOptions,
  connections: Connections,
): LanguageModelV4 {
  const refused = new RefusedFields();
  const modelOver = (filter: ReplyFilter) =>
    createOpenAI({ apiKey, baseURL: baseUrl, fetch: fetchOver(connections, { filter, body, refused }) }).responses(
      modelId,
    );
  const [documents, streams] = [modelOver(DOCUMENT_FILTER), modelOver(STREAM_FILTER)];
  const complete = (options: LanguageModelV4CallOptions) => ({
    ...options,
    providerOptions: { ...RESPONSES_OPTIONS, ...options.providerOptions },
  });
  return {
    specificationVersion: 'v4',
    provider: 'openai',
    modelId,
    supportedUrls: documents.supportedUrls,
    doGenerate: (options) => refused.retried(() => documents.doGenerate(complete(options))),
    doStream: (options) => refused.retried(() => streams.doStream(complete(options))),
  };
}
