/** Tests what clients are told about failures that come from how a provider is set up. */
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { providerError } from './provider-errors.ts';

const model = { provider: 'openai-compatible', modelId: 'qwen3:8b' };

/** A failure as the client of a provider reports it. */
function failure(statusCode: number | undefined, body: unknown) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return new APICallError({
    message: 'Bad Request',
    url: '',
    requestBodyValues: {},
    ...(statusCode !== undefined && { statusCode }),
    responseBody,
    ...(typeof body === 'object' && { data: body }),
  });
}

const said = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });

/** What a provider says, and words of the cause and of the remedy that the client is told. */
const CASES: readonly (readonly [
  name: string,
  status: number,
  body: unknown,
  code: string,
  cause: RegExp,
  remedy: RegExp,
])[] = [
  [
    'Ollama: no tools',
    400,
    said('registry.ollama.ai/library/gemma:2b does not support tools'),
    'provider_error',
    /cannot call tools/,
    /Choose a model/,
  ],
  [
    'more tools than it takes',
    400,
    said("Invalid 'tools': array too long. Expected an array with maximum length 128"),
    'provider_error',
    /takes fewer tools/,
    /Leave out plugins/,
  ],
  [
    'no results of tools',
    400,
    said("Invalid 'messages': role 'tool' is not supported"),
    'provider_error',
    /does not take the results of tools/,
    /chat template with tools/,
  ],
  [
    'Anthropic: overloaded',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'provider_error',
    /is overloaded/,
    /SVC_FALLBACK_MODEL/,
  ],
  [
    'OpenRouter: no tools',
    404,
    said('No endpoints found that support tool use. To learn more, visit …'),
    'provider_error',
    /cannot call tools/,
    /Choose a model/,
  ],
  [
    'a gateway: no tools',
    400,
    said("'tools' is not supported with this model"),
    'provider_error',
    /cannot call tools/,
    /Choose a model/,
  ],
  [
    'DeepInfra: no tools',
    405,
    said('Model does not support function calling'),
    'provider_error',
    /cannot call tools/,
    /Choose a model/,
  ],
  [
    'vLLM: no parser',
    400,
    {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      code: 400,
    },
    'provider_error',
    /without a parser/,
    /--tool-call-parser/,
  ],
  [
    'llama.cpp: no templates',
    500,
    said('tools param requires --jinja flag'),
    'provider_error',
    /without chat templates/,
    /--jinja/,
  ],
  [
    'LM Studio: no model',
    404,
    said('No models loaded. Please load a model in the developer page or use the lms load command.'),
    'provider_model_not_found',
    /no model loaded/,
    /lms load/,
  ],
  [
    'llama.cpp: loading',
    503,
    said('Loading model', { type: 'unavailable_error', code: 503 }),
    'provider_unreachable',
    /still loading/,
    /Wait/,
  ],
  [
    'Ollama: memory',
    500,
    said('model requires more system memory (5.6 GiB) than is available (3.1 GiB)'),
    'provider_error',
    /not enough memory/,
    /smaller model/,
  ],
  [
    'DeepSeek: balance',
    402,
    said('Insufficient Balance', { code: 'invalid_request_error' }),
    'provider_rate_limit',
    /used up/,
    /billing/,
  ],
  [
    'Anthropic: balance',
    400,
    said('Your credit balance is too low to access the Anthropic API.'),
    'provider_rate_limit',
    /used up/,
    /billing/,
  ],
  [
    'Groq: tokens per minute',
    413,
    said('Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8012', {
      code: 'rate_limit_exceeded',
    }),
    'provider_rate_limit',
    /8012 tokens, 6000/,
    /Wait/,
  ],
  [
    'OpenAI: context',
    400,
    said("This model's maximum context length is 8192 tokens. However, your messages resulted in 10240 tokens.", {
      code: 'context_length_exceeded',
    }),
    'provider_error',
    /10240 tokens, 8192/,
    /OLLAMA_CONTEXT_LENGTH/,
  ],
  [
    'vLLM: context',
    400,
    said(
      "This model's maximum context length is 4096 tokens. However, you requested 5013 tokens (4501 in the messages, 512 in the completion).",
    ),
    'provider_error',
    /5013 tokens, 4096/,
    /longer/,
  ],
  [
    'llama.cpp: context',
    400,
    said('the request exceeds the available context size, try increasing it', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5120,
      n_ctx: 4096,
    }),
    'provider_error',
    /5120 tokens, 4096/,
    /longer/,
  ],
  [
    'Anthropic: context',
    400,
    said('prompt is too long: 208310 tokens > 200000 maximum'),
    'provider_error',
    /208310 tokens, 200000/,
    /longer/,
  ],
  [
    'Gemini: context',
    400,
    said('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    'provider_error',
    /1200000 tokens, 1048576/,
    /longer/,
  ],
  [
    'Mistral: context',
    400,
    said('Prompt contains 40112 tokens and 0 draft tokens, too large for model with 32768 maximum context length'),
    'provider_error',
    /40112 tokens, 32768/,
    /longer/,
  ],
  [
    'Text Generation Inference: context',
    422,
    said(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 6467 `inputs` tokens and 512 `max_new_tokens`',
    ),
    'provider_error',
    /6467 tokens, 4096/,
    /longer/,
  ],
  [
    'Text Generation Inference: input',
    422,
    said('Input validation error: `inputs` must have less than 4096 tokens. Given: 6467'),
    'provider_error',
    /6467 tokens, 4096/,
    /longer/,
  ],
  [
    'DashScope: context',
    400,
    said('InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]'),
    'provider_error',
    /30720 tokens/,
    /longer/,
  ],
  ['Zhipu: context', 400, said('Prompt 超长'), 'provider_error', /longer than the model/, /longer/],
  [
    'Hugging Face: loading',
    503,
    said('Model Qwen/Qwen3 is currently loading'),
    'provider_unreachable',
    /still loading/,
    /Wait/,
  ],
  [
    'LiteLLM: budget',
    400,
    said('Budget has been exceeded! Current cost: 1.2, Max budget: 1.0'),
    'provider_rate_limit',
    /used up/,
    /billing/,
  ],
  [
    'OpenRouter: limit of a key',
    403,
    said('Key limit exceeded (total limit).'),
    'provider_rate_limit',
    /used up/,
    /billing/,
  ],
  [
    'LM Studio: wrong path',
    404,
    said('Unexpected endpoint or method. (POST /chat/completions)'),
    'provider_error',
    /web page/,
    /\/v1/,
  ],
  [
    'Kimi: context',
    400,
    said('Invalid request: Your request exceeded model token limit: 8192'),
    'provider_error',
    /8192 tokens/,
    /longer/,
  ],
  [
    'LM Studio: context',
    400,
    said('The number of tokens to keep from the initial prompt is greater than the context length.'),
    'provider_error',
    /longer than the model/,
    /longer/,
  ],
  [
    'Azure: filter',
    400,
    said("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: 'content_filter',
    }),
    'provider_error',
    /content filter/,
    /Word the question/,
  ],
  ['DeepSeek: filter', 400, said('Content Exists Risk'), 'provider_error', /content filter/, /Word the question/],
  [
    'Qwen: filter',
    400,
    said('Output data may contain inappropriate content.', { code: 'data_inspection_failed' }),
    'provider_error',
    /content filter/,
    /Word the question/,
  ],
  [
    'OpenRouter: moderation',
    403,
    said('x/y requires moderation on z. Your input was flagged for "hate".'),
    'provider_error',
    /content filter/,
    /Word the question/,
  ],
  [
    'OpenRouter: data policy',
    404,
    said('No endpoints found matching your data policy (Free model publication).'),
    'provider_error',
    /settings allow/,
    /privacy/,
  ],
  [
    'OpenAI: country',
    403,
    said('Country, region, or territory not supported', { code: 'unsupported_country_region_territory' }),
    'provider_auth_error',
    /country/,
    /region/,
  ],
  [
    'Gemini: key',
    400,
    [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
    'provider_auth_error',
    /API key/,
    /rights/,
  ],
  [
    'Ollama: model',
    404,
    said("model 'qwen3:9b' not found, try pulling it first"),
    'provider_model_not_found',
    /does not know the model "qwen3:8b"/,
    /name of the model/,
  ],
  [
    'DeepSeek: model',
    400,
    said('Model Not Exist'),
    'provider_model_not_found',
    /does not know the model/,
    /name of the model/,
  ],
  [
    'OpenRouter: model',
    400,
    said('qwen9 is not a valid model ID'),
    'provider_model_not_found',
    /does not know the model/,
    /name of the model/,
  ],
  [
    'LiteLLM: model',
    400,
    said('Invalid model name passed in model=gpt-9. Call `/v1/models` to view available models for your key.'),
    'provider_model_not_found',
    /does not know the model/,
    /name of the model/,
  ],
  [
    'Groq: retired model',
    400,
    said('The model `mixtral-8x7b` has been decommissioned and is no longer supported.', {
      code: 'model_decommissioned',
    }),
    'provider_model_not_found',
    /does not know the model/,
    /name of the model/,
  ],
  [
    'Gemini: signature',
    400,
    said('Function call is missing a thought_signature in functionCall parts.'),
    'provider_error',
    /reasoning/,
    /Update/,
  ],
  [
    'DeepSeek: reasoning',
    400,
    said('Missing `reasoning_content` field in the assistant message at message index 2.'),
    'provider_error',
    /reasoning/,
    /Update/,
  ],
  [
    'vLLM: roles',
    400,
    said('Conversation roles must alternate user/assistant/user/assistant/...'),
    'provider_error',
    /chat template/,
    /--chat-template/,
  ],
  [
    'LM Studio: template',
    400,
    said('Error rendering prompt with jinja template: "Cannot call something that is not a function"'),
    'provider_error',
    /chat template/,
    /template/,
  ],
  [
    'Gemini: schema',
    400,
    said('Invalid JSON payload received. Unknown name "$defs" at \'tools.function_declarations[0].parameters\''),
    'provider_error',
    /description of a tool/,
    /log/,
  ],
  [
    'a gateway: page',
    502,
    '<!DOCTYPE html><html><head><title>502 Bad Gateway</title>',
    'provider_error',
    /web page/,
    /\/v1/,
  ],
  ['a wrong base URL', 404, '404 page not found', 'provider_error', /web page/, /\/v1/],
];

describe('a setup problem is named with its remedy', () => {
  test.each(CASES)('%s', (_, status, body, code, cause, remedy) => {
    const error = providerError(failure(status, body), model);
    expect(error).toMatchObject({ code, message: expect.stringMatching(cause), hint: expect.stringMatching(remedy) });
    expect(`${error.message} ${error.hint}`).not.toMatch(/ask again|<html/i);
  });
});

test('a server without the Responses API is told from a wrong base URL by its remedy', () => {
  for (const body of ['404 page not found', { detail: 'Not Found' }]) {
    const hintFor = (provider: string) => providerError(failure(404, body), { ...model, provider }).hint;
    expect(hintFor('openai')).toContain('SVC_PROVIDER=openai-compatible');
    expect(hintFor('openai-compatible')).not.toContain('SVC_PROVIDER');
  }
});

test('a context that is too short names the variable that fits the prompt to it', () => {
  const error = providerError(failure(400, said('the request exceeds the available context size')), model);
  expect(error.hint).toContain('SVC_MODEL_CONTEXT_TOKENS');
});

test('other failures keep their codes', () => {
  for (const [status, body, code] of [
    [401, said('Incorrect API key provided: sk-wrong.'), 'provider_auth_error'],
    [403, said('Forbidden'), 'provider_auth_error'],
    [404, said('Not Found'), 'provider_model_not_found'],
    [429, said('Rate limit reached for requests.'), 'provider_rate_limit'],
    [500, said('The server had an error while processing your request.'), 'provider_error'],
    [504, '', 'provider_timeout'],
  ] as const) {
    const error = providerError(failure(status, body), model);
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint}`).not.toMatch(/ask again|sk-wrong/i);
  }
});
