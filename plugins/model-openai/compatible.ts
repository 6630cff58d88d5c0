/** Makes models of servers that speak Chat Completions, with the AI SDK's package for them. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Connections, callForDocument, fetchOver, loadPackage, RefusedFields } from '../model-kit/index.ts';
import { DOCUMENT_READER, STREAM_FILTER } from './chat-filter.ts';
import type { OpenaiModelOptions } from './options.ts';
import { PreparedBodies } from './prepared-bodies.ts';
import { ReasoningField } from './reasoning-field.ts';
import { type RequestBody, RequestJson } from './request-json.ts';

/** GPT-5.6 and its successors refuse function tools with reasoning in this API. */
const WITHOUT_REASONING = /^gpt-5\.([6-9]|\d\d)/;

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
  const refused = new RefusedFields();
  const bodies = new PreparedBodies();
  const model = new ChatModel(modelId, {
    provider: 'openaiCompatible.chat',
    url: () => url.href,
    headers,
    fetch: fetchOver(bodies.over(connections), { filter: reasoning.watched(STREAM_FILTER) }),
  });
  /** The package prepares requests and reads replies; written by it, a request costs several times as much. */
  const written = async (options: LanguageModelV4CallOptions, more: RequestBody) => {
    const { body, warnings } = await model.prepareRequest(options);
    const own = reasoning.renamed(withoutReasoning(body));
    return { bytes: json.write(refused.without({ ...own, ...more, ...fields })), warnings };
  };
  return {
    specificationVersion: 'v4',
    provider: 'openai-compatible',
    modelId,
    supportedUrls: {},
    doGenerate: (options) =>
      refused.retried(async () => {
        const { bytes, warnings } = await written(options, {});
        const call = {
          url,
          headers: { 'content-type': 'application/json', ...headers, ...options.headers },
          body: bytes,
          signal: options.abortSignal,
        };
        const reply = await callForDocument(connections, call, DOCUMENT_READER);
        reasoning.found(reply.value);
        return { ...(await model.convertResponse({ body: reply.value, ...providerOptionsOf(options) })), warnings };
      }),
    doStream: (options) =>
      refused.retried(async () => {
        const { bytes } = await written(options, STREAMED);
        const { tools: _, ...call } = options;
        return bodies.send(bytes, (named) =>
          model.doStream({ ...call, prompt: [], headers: { ...options.headers, ...named } }),
        );
      }),
  };
}

const STREAMED = { stream: true, stream_options: { include_usage: true } };

const providerOptionsOf = ({ providerOptions }: LanguageModelV4CallOptions) =>
  providerOptions === undefined ? {} : { providerOptions };

const withoutReasoning = (body: RequestBody): RequestBody =>
  body.tools !== undefined && WITHOUT_REASONING.test(String(body.model)) ? { ...body, reasoning_effort: 'none' } : body;
