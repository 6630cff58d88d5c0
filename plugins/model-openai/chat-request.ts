/** Builds the body of a Chat Completions request. Parts that stay the same from call to call are encoded once. */
import {
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4ToolResultOutput,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;

/** GPT-5.6 and its successors refuse function tools with reasoning in this API. */
const WITHOUT_REASONING = /^gpt-5\.([6-9]|\d\d)/;

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

export class ChatRequests {
  readonly #modelId: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #messages = new WeakMap<LanguageModelV4Message, Buffer>();
  readonly #tools = new WeakMap<Tools, Buffer>();

  /** `fields`: further fields of every request. */
  constructor(modelId: string, fields: Readonly<Record<string, unknown>> = {}) {
    this.#modelId = modelId;
    this.#fields = fields;
  }

  /** JSON in UTF-8, in pieces. Throws `UnsupportedFunctionalityError` for what this API has no place for. */
  body(options: LanguageModelV4CallOptions, streaming: boolean): readonly Buffer[] {
    const { prompt, tools = [], toolChoice, responseFormat } = options;
    const settings = JSON.stringify({
      model: this.#modelId,
      max_tokens: options.maxOutputTokens,
      temperature: options.temperature,
      top_p: options.topP,
      frequency_penalty: options.frequencyPenalty,
      presence_penalty: options.presencePenalty,
      stop: options.stopSequences,
      seed: options.seed,
      ...(responseFormat?.type === 'json' && { response_format: { type: 'json_object' } }),
      ...(tools.length > 0 && WITHOUT_REASONING.test(this.#modelId) && { reasoning_effort: 'none' }),
      ...(toolChoice !== undefined && {
        tool_choice:
          toolChoice.type === 'tool' ? { type: 'function', function: { name: toolChoice.toolName } } : toolChoice.type,
      }),
      ...(options.reasoning !== undefined &&
        options.reasoning !== 'provider-default' && { reasoning_effort: options.reasoning }),
      ...(streaming && { stream: true, stream_options: { include_usage: true } }),
      ...this.#fields,
    });
    const pieces: Buffer[] = [Buffer.from(`${settings.slice(0, -1)},"messages":[`)];
    for (const message of prompt) {
      const piece = this.#message(message);
      if (piece.length === 0) continue;
      if (pieces.length > 1) pieces.push(COMMA);
      pieces.push(piece);
    }
    pieces.push(tools.length > 0 ? this.#toolsAndEnd(tools) : END);
    return pieces;
  }

  #message(message: LanguageModelV4Message): Buffer {
    let bytes = this.#messages.get(message);
    if (bytes === undefined) {
      const sent = messagesOf(message).map((one) => JSON.stringify(one));
      bytes = Buffer.from(sent.join(','));
      this.#messages.set(message, bytes);
    }
    return bytes;
  }

  #toolsAndEnd(tools: Tools): Buffer {
    let bytes = this.#tools.get(tools);
    if (bytes === undefined) {
      bytes = Buffer.from(`],"tools":${JSON.stringify(tools.map(toolOf))}}`);
      this.#tools.set(tools, bytes);
    }
    return bytes;
  }
}

function toolOf(tool: Tools[number]) {
  if (tool.type !== 'function') throw new UnsupportedFunctionalityError({ functionality: `tool type ${tool.type}` });
  const { name, description, inputSchema: parameters, strict } = tool;
  return { type: 'function', function: { name, description, parameters, strict } };
}

/** One message of the prompt as this API has it: each result of a tool is a separate message. */
function messagesOf(message: LanguageModelV4Message): object[] {
  switch (message.role) {
    // Not "developer", which compatible servers do not know, whatever their model is called.
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user': {
      const texts = message.content.map((part) => {
        if (part.type !== 'text') throw new UnsupportedFunctionalityError({ functionality: 'files in a question' });
        return part.text;
      });
      return [{ role: 'user', content: texts.join('\n\n') }];
    }
    case 'assistant': {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call'
          ? {
              id: part.toolCallId,
              type: 'function',
              function: { name: part.toolName, arguments: JSON.stringify(part.input) },
            }
          : [],
      );
      return [
        { role: 'assistant', ...(calls.length > 0 ? { content: text || null, tool_calls: calls } : { content: text }) },
      ];
    }
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? { role: 'tool', tool_call_id: part.toolCallId, content: resultText(part.output) }
          : [],
      );
  }
}

function resultText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The call was denied.';
    default:
      return jsonOf(output.value);
  }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Plain JSON has no place for a bigint, which tools may bring.
    return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item));
  }
}
