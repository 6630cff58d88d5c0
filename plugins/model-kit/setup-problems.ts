/**
 * Recognizes failures of a provider whose cause is how it is set up, and says what to change. Each pattern stands for
 * what servers are known to say; their own words are not repeated.
 */
import type { AtlasErrorInit } from '../../kernel/index.ts';

/** What a client is told. */
export type Described = readonly [message: string, init: AtlasErrorInit];

interface Failed {
  readonly provider: string;
  readonly modelId: string;
  readonly status: number | undefined;
  /** What the provider said. */
  readonly text: string;
}

type Describe = (failed: Failed) => Described;

const who = ({ provider }: Failed) => `The model provider "${provider}"`;
const fault = (hint: string): AtlasErrorInit => ({ code: 'provider_error', hint });

/** What is wrong with the list of tools itself. */
const TOO_MANY_TOOLS =
  /\btools?\b[^\n]{0,40}(?:array too long|too many|too long|at most|maximum (?:number|length|of)|exceeds?[^\n]{0,20}\b(?:number|limit)\b)|(?:too many|at most \d+|maximum (?:number )?of \d*) ?(?:tools|functions)\b/i;

const PROBLEMS: readonly (readonly [pattern: RegExp, describe: Describe])[] = [
  [
    /enable-auto-tool-choice|tool-call-parser|tool choice requires/i,
    (failed) => [
      `${who(failed)} runs without a parser for tool calls, so the model "${failed.modelId}" cannot look anything up.`,
      fault('Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model, such as hermes.'),
    ],
  ],
  [
    /requires?[^\n]{0,20}--jinja|--jinja (?:flag|must|is)/i,
    (failed) => [
      `${who(failed)} runs without chat templates, so the model "${failed.modelId}" cannot call tools.`,
      fault('Start llama.cpp with --jinja.'),
    ],
  ],
  [
    TOO_MANY_TOOLS,
    (failed) => [
      `${who(failed)} takes fewer tools than Atlas offers to the model "${failed.modelId}".`,
      fault('Leave out plugins that bring tools, or choose a provider that takes more.'),
    ],
  ],
  [
    /roles?['"`]? ['"`]?tool['"`]?[^\n]{0,40}(?:not supported|unsupported|invalid|unknown|not allowed)|(?:invalid|unsupported|unknown|unexpected)[^\n]{0,20}role[^\n]{0,6}\btool\b/i,
    (failed) => [
      `${who(failed)} does not take the results of tools, so the model "${failed.modelId}" cannot look anything up.`,
      fault('Update the server, give it a chat template with tools, or choose a model with tool calling.'),
    ],
  ],
  [
    /not support (?:the use of )?(?:tools?|function)|(?:tools?|function calling|tool use|tool calling)['"`]? (?:is|are) not (?:supported|available|enabled)|support tool use|tools?_not_supported|tool_choice['"` ]*(?:is |are )?(?:not supported|unsupported)|without tool (?:use|support)|not support (?:tool|function) (?:use|call)/i,
    (failed) => [
      `The model "${failed.modelId}" cannot call tools, so it cannot look anything up in the database.`,
      fault('Choose a model with tool calling: for Ollama one listed under "tools", such as qwen3 or llama3.1.'),
    ],
  ],
  [
    /no models? (?:is |are )?(?:currently )?loaded|model (?:is )?not loaded|please load a model/i,
    (failed) => [
      `${who(failed)} has no model loaded.`,
      {
        code: 'provider_model_not_found',
        hint: `Load the model "${failed.modelId}" in the server, in LM Studio with "lms load".`,
      },
    ],
  ],
  [
    /loading model|(?:is|being) (?:currently |still )?loading|being loaded|warming up/i,
    (failed) => [
      `${who(failed)} is still loading the model "${failed.modelId}".`,
      { code: 'provider_unreachable', retryAfterSeconds: 10, hint: 'Wait until the server has loaded it.' },
    ],
  ],
  [
    /(?:more|enough|insufficient|out of)[^\n]{0,24}memory|runner process (?:has terminated|no longer running)|CUDA error/i,
    (failed) => [
      `${who(failed)} has not enough memory for the model "${failed.modelId}".`,
      fault('Choose a smaller model or quantization, a shorter context, or a machine with more memory.'),
    ],
  ],
  [
    /insufficient[_ ]?(?:balance|credits?|funds)|credit balance is too low|insufficient_quota|billing_(?:hard_)?limit|payment required|arrearage|余额不足|(?:budget|key limit|credits?|spending limit)[^\n]{0,24}(?:exceeded|used up|exhausted|reached)/i,
    (failed) => [
      `The credit at the model provider "${failed.provider}" is used up.`,
      { code: 'provider_rate_limit', hint: 'Check plan and billing at the provider.' },
    ],
  ],
  [
    /tokens per (?:minute|day)|\bTPM\b|\bTPD\b/,
    (failed) => [
      `The request exceeds the tokens per minute that the provider "${failed.provider}" grants for the model "${failed.modelId}"${sizes(failed.text)}.`,
      {
        code: 'provider_rate_limit',
        retryAfterSeconds: 60,
        hint: 'Wait a minute, raise the limit at the provider, or describe fewer tables.',
      },
    ],
  ],
  [
    /context[_ ](?:length|size|window|limit)|maximum (?:prompt|context|input) length|(?:prompt|input|request|messages?)(?!")[^\n]{0,40}(?:too (?:long|large)|exceed(?:s|ed)[^\n]{0,40}(?:tokens?\b|context|length))|token (?:count|limit)[^\n]{0,40}exceed|reduce the length|too many (?:input )?tokens|(?:number of )?tokens to keep|exceed_context_size|\binputs?\b[^\n]{0,40}(?:must (?:be <=|have less than)|length should be)|contextwindowexceeded|超长|longer than the model/i,
    (failed) => [
      `The question and what is needed to answer it are longer than the model "${failed.modelId}" takes${sizes(failed.text)}.`,
      fault(
        'Raise the context of the server (for Ollama OLLAMA_CONTEXT_LENGTH), set SVC_MODEL_CONTEXT_TOKENS to the context it has, start a new conversation, or use a model with a longer context.',
      ),
    ],
  ],
  [
    /content[_ ](?:filter|policy|management)|content exists risk|data_inspection_failed|flagged (?:by|as)|requires moderation|safety (?:system|filter|reasons)|PROHIBITED_CONTENT|sensitive (?:content|words?)|responsible ?ai/i,
    (failed) => [
      `The content filter of the provider "${failed.provider}" refused the question or the data in its results.`,
      fault(
        'Word the question differently, leave the columns with such texts out, or relax the filter at the provider.',
      ),
    ],
  ],
  [
    /overloaded|server busy|at capacity|insufficient_system_resource|pending requests exceeded|engine is (?:currently )?busy/i,
    (failed) => [
      `${who(failed)} is overloaded.`,
      {
        code: 'provider_error',
        retryAfterSeconds: 10,
        hint: 'Wait a moment, or set SVC_FALLBACK_MODEL for such times.',
      },
    ],
  ],
  [
    /data policy|privacy settings|no allowed providers/i,
    (failed) => [
      `${who(failed)} has no server for the model "${failed.modelId}" that your account's settings allow.`,
      fault('Check the privacy and provider settings of the account, or choose another model.'),
    ],
  ],
  [
    /(?:location|country|region|territory)[^\n]{0,40}not (?:supported|available|allowed)|unsupported_country/i,
    (failed) => [
      `${who(failed)} does not serve the country that this server stands in.`,
      { code: 'provider_auth_error', hint: 'Choose another provider, or a region that it serves.' },
    ],
  ],
  [
    /api[_ -]?key[^\n]{0,30}(?:not valid|invalid|incorrect|expired|missing|not found)|(?:invalid|incorrect|missing|no)[^\n]{0,12}api[_ -]?key|invalid_api_key|authentication (?:fails?|failed|error)|unauthorized|login fail/i,
    (failed) => [
      `${who(failed)} refused the API key.`,
      { code: 'provider_auth_error', hint: 'Check the API key and its rights.' },
    ],
  ],
  [
    /model[^\n]{0,80}(?:not[_ ](?:found|exist|available|supported)|does ?n.t exist|does not exist|no longer (?:available|supported)|decommissioned|deprecated|unknown)|(?:unknown|invalid|no such|unsupported)[ _]model|not a valid model|invalid model name|model_not_found|try pulling it|access(?:ible)? (?:to )?(?:the )?model|unable to access model/i,
    (failed) => [
      `${who(failed)} does not know the model "${failed.modelId}".`,
      { code: 'provider_model_not_found', hint: 'Check the name of the model and the base URL.' },
    ],
  ],
  [
    /thought_?signature|reasoning_content|reasoning item|thinking blocks?|encrypted_content/i,
    (failed) => [
      `${who(failed)} wants the reasoning of the model "${failed.modelId}" back in a form that it did not get.`,
      fault('Update Atlas, turn reasoning off for this model, or choose another model.'),
    ],
  ],
  [
    /roles? must alternate|chat template|jinja|unexpected role|conversation roles|expected last role|system role not supported|template error/i,
    (failed) => [
      `The chat template of the model "${failed.modelId}" does not take conversations with tools.`,
      fault(
        'Give the server a template with tools (vLLM: --chat-template, llama.cpp: --chat-template-file), or choose another model.',
      ),
    ],
  ],
  [
    /(?:invalid|unsupported|unrecognized)[^\n]{0,24}schema|function_declarations|failed to (?:parse|compile) grammar|parse_schema|Unknown name[^\n]{0,60}parameters/i,
    (failed) => [
      `${who(failed)} does not take the description of a tool's arguments.`,
      fault('Update the server or choose another one; the log names what it refused.'),
    ],
  ],
  [
    /A reply of Chat Completions was sent/,
    (failed) => [
      `The base URL of the provider "${failed.provider}" belongs to a server that speaks Chat Completions, not the Responses API.`,
      fault('Set SVC_PROVIDER=openai-compatible.'),
    ],
  ],
  [
    /A reply of the Responses API was sent/,
    (failed) => [
      `The base URL of the provider "${failed.provider}" belongs to a server that speaks the Responses API, not Chat Completions.`,
      fault('Set SVC_PROVIDER=openai.'),
    ],
  ],
  [
    /<!doctype html|<html[\s>]|<head>|invalid json response|unexpected token '?<|is not valid json|404 page not found|cannot post \/|unexpected endpoint/i,
    (failed) => [
      `The base URL of the provider "${failed.provider}" answered with a web page or plain text instead of the API${failed.status === undefined ? '' : ` (status ${failed.status})`}.`,
      fault(
        `Check the base URL: it usually ends in /v1.${withoutResponses(failed)} A reverse proxy or a login page in front of the API answers like this, too.`,
      ),
    ],
  ],
];

/** Many servers that call themselves compatible with OpenAI lack its Responses API. */
export const withoutResponses = ({ provider }: Pick<Failed, 'provider'>) =>
  provider === 'openai' ? ' A server without the Responses API needs SVC_PROVIDER=openai-compatible.' : '';

/** What a failure means that comes from the provider's setup; `undefined` for any other. */
export function setupProblem(failed: Failed): Described | undefined {
  const { text } = failed;
  return text === '' ? undefined : PROBLEMS.find(([pattern]) => pattern.test(text))?.[1](failed);
}

/** Fewer are no size of a context. */
const MIN_TOKENS = 256;

/** The sizes that a provider named: `: 5000 tokens of 4096`. Empty when it named none. */
export function sizes(text: string): string {
  const named = [
    ...text.slice(0, 2_000).matchAll(/(?<![\w.])\d{1,3}(?:,\d{3})+(?![\w.]\d)|(?<![\w.])\d{3,9}(?![\w]|\.\d)/g),
  ]
    .map(([digits]) => Number(digits.replaceAll(',', '')))
    .filter((size) => size >= MIN_TOKENS);
  const sent = Math.max(...named);
  const limit = named.find((size) => size < sent);
  if (named.length === 0) return '';
  return limit === undefined ? ` of ${sent} tokens` : `: ${sent} tokens, ${limit} are allowed`;
}
