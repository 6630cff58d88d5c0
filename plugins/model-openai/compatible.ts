/** Makes models of servers that speak Chat Completions, with the AI SDK's package for them. */
import { OpenAICompatibleChatLanguageModel as ChatModel, VERSION } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Connections, callForDocument, callForStream, RefusedFields, wellFormedJson } from '../model-kit/index.ts';
import { DOCUMENT_READER, documentOf, type Reply, STREAM_READER } from './chat-filter.ts';
import { chatParts } from './chat-parts.ts';
import type { OpenaiModelOptions } from './options.ts';
import { ReasoningField } from './reasoning-field.ts';
import { type RequestBody, RequestJson } from './request-json.ts';

/** GPT-5.6 and its successors refuse function tools with reasoning in this API. */
const WITHOUT_REASONING = /^gpt-5\.([6-9]|\d\d)/;

export function compatibleModel(
  modelId: string,
  { baseUrl = '', apiKey, body: fields }: OpenaiModelOptions,
  connections: Connections,
): LanguageModelV4 {
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/chat/completions`);
  const headers = {
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    'user-agent': `ai-sdk-openai-compatible/${VERSION}`,
  };
  const reasoning = new ReasoningField();
  const refused = new RefusedFields();
  const json = new RequestJson();
  const model = new ChatModel(modelId, {
    provider: 'openaiCompatible.chat',
    url: () => url.href,
    headers,
    transformRequestBody: (body) => ({ ...reasoning.renamed(withoutReasoning(body)), ...fields }),
  });
  /** A call with what the package has prepared, without what the server has refused. */
  const callOf = (prepared: RequestBody, options: LanguageModelV4CallOptions) => {
    const body = refused.without(prepared);
    return {
      url,
      headers: { 'content-type': 'application/json', ...headers, ...options.headers },
      // A field that was refused is left out of tools, too.
      body: refused.isEmpty ? json.write(body, options) : wellFormedJson(JSON.stringify(body)),
      signal: options.abortSignal,
    };
  };
  const converted = (body: unknown, { providerOptions }: LanguageModelV4CallOptions) =>
    model.convertResponse({ body, ...(providerOptions !== undefined && { providerOptions }) });
  return {
    specificationVersion: 'v4',
    provider: 'openai-compatible',
    modelId,
    supportedUrls: {},
    doGenerate: (options) =>
      refused.retried(async () => {
        const { body, warnings } = await model.prepareRequest(options);
        const reply = await callForDocument(connections, callOf(body, options), DOCUMENT_READER);
        reasoning.found(reply.choices[0].message);
        return { ...(await converted(reply, options)), warnings };
      }),
    doStream: (options) =>
      refused.retried(async () => {
        const { body, warnings } = await model.prepareRequest(options);
        const call = callOf({ ...STREAMED, ...body }, options);
        const convert = (reply: Reply) => converted(documentOf(reply), options);
        const stream = await callForStream(connections, call, STREAM_READER, (replies) =>
          chatParts(replies, { warnings, reasoning, convert }),
        );
        return { stream };
      }),
  };
}

const STREAMED = { stream: true, stream_options: { include_usage: true } };

const withoutReasoning = (body: RequestBody): RequestBody =>
  body.tools !== undefined && WITHOUT_REASONING.test(String(body.model)) ? { ...body, reasoning_effort: 'none' } : body;
