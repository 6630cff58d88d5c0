/** Renders what a provider sends for one step in its own protocol: a document, or the pieces of a stream. */
import { crc32 } from 'node:zlib';

/** One answer of a model. */
export interface ProviderStep {
  readonly reasoning?: { readonly text: string; readonly signature: string };
  readonly text?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly args: object };
}

export interface ProviderWire {
  /** Whether a request asks for a stream. */
  isStream(path: string, body: { readonly stream?: unknown }): boolean;
  readonly streamType: string;
  document(step: ProviderStep): object;
  stream(step: ProviderStep): (string | Buffer)[];
  /** A failure as the provider words it. */
  failure(status: number, message: string): object;
}

const halves = (text: string) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
const sse = (value: object, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`;

function anthropicBlocks({ reasoning, text, call }: ProviderStep) {
  return [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning.text, signature: reasoning.signature }] : []),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.args }] : []),
  ];
}

/** Anthropic Messages. */
export const anthropicWire: ProviderWire = {
  isStream: (_, { stream }) => stream === true,
  streamType: 'text/event-stream',
  document: (step) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: anthropicBlocks(step),
    stop_reason: step.call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  stream(step) {
    const begun = { ...anthropicWire.document(step), content: [], stop_reason: null };
    const deltas = ({ type, text, thinking, signature, input }: Record<string, unknown>): object[] => {
      if (type === 'text') return halves(String(text)).map((half) => ({ type: 'text_delta', text: half }));
      if (type === 'tool_use') {
        return halves(JSON.stringify(input)).map((half) => ({ type: 'input_json_delta', partial_json: half }));
      }
      return [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ];
    };
    const empty = { text: '', thinking: '', signature: '', input: {} };
    const blocks = anthropicBlocks(step).flatMap((block: Record<string, unknown>, index) => {
      const blank = Object.fromEntries(
        Object.entries(block).map(([name, value]) => [name, name in empty ? empty[name as 'text'] : value]),
      );
      return [
        { type: 'content_block_start', index, content_block: blank },
        ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    });
    const stop_reason = step.call ? 'tool_use' : 'end_turn';
    return [
      { type: 'message_start', message: begun },
      { type: 'ping' },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ].map((event) => sse(event, event.type));
  },
  failure: (status, message) => ({
    type: 'error',
    error: { type: status === 401 ? 'authentication_error' : 'api_error', message },
  }),
};

function geminiReply(parts: readonly object[], isLast: boolean) {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'scripted',
  };
}

function geminiParts({ reasoning, text, call }: ProviderStep): object[] {
  const thoughtSignature = reasoning && { thoughtSignature: reasoning.signature };
  return [
    ...(reasoning ? [{ text: reasoning.text, thought: true }] : []),
    ...(text === undefined ? [] : halves(text).map((half) => ({ text: half }))),
    ...(call ? [{ functionCall: { name: call.name, args: call.args }, ...thoughtSignature }] : []),
  ];
}

/** Gemini `generateContent` and `streamGenerateContent`. */
export const geminiWire: ProviderWire = {
  isStream: (path) => path.includes(':streamGenerateContent'),
  streamType: 'text/event-stream',
  document: (step) => geminiReply(geminiParts(step), true),
  stream: (step) => geminiParts(step).map((part, index, all) => sse(geminiReply([part], index === all.length - 1))),
  failure: (code, message) => ({ error: { code, message, status: 'UNKNOWN' } }),
};

function bedrockBlocks({ reasoning, text, call }: ProviderStep) {
  return [
    ...(reasoning ? [{ reasoningContent: { reasoningText: reasoning } }] : []),
    ...(text === undefined ? [] : [{ text }]),
    ...(call ? [{ toolUse: { toolUseId: call.id, name: call.name, input: call.args } }] : []),
  ];
}

const BEDROCK_USAGE = { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } };

/** One message of the AWS event stream: lengths, headers and payload, each with its checksum. */
function awsMessage(type: string, payload: object): Buffer {
  const header = (name: string, value: string) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  };
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const uint32 = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
    return bytes;
  };
  const lengths = uint32(headers.length + body.length + 16, headers.length);
  const message = Buffer.concat([lengths, uint32(crc32(lengths)), headers, body]);
  return Buffer.concat([message, uint32(crc32(message))]);
}

/** Bedrock Converse. */
export const bedrockWire: ProviderWire = {
  isStream: (path) => path.endsWith('/converse-stream'),
  streamType: 'application/vnd.amazon.eventstream',
  document: (step) => ({
    output: { message: { role: 'assistant', content: bedrockBlocks(step) } },
    stopReason: step.call ? 'tool_use' : 'end_turn',
    ...BEDROCK_USAGE,
  }),
  stream({ reasoning, text, call }) {
    const blocks: [start: object | undefined, deltas: object[]][] = [];
    if (reasoning) {
      const { text: thought, signature } = reasoning;
      blocks.push([undefined, [{ reasoningContent: { text: thought } }, { reasoningContent: { signature } }]]);
    }
    if (text !== undefined) blocks.push([undefined, halves(text).map((half) => ({ text: half }))]);
    if (call) {
      const { id: toolUseId, name, args } = call;
      const input = halves(JSON.stringify(args)).map((half) => ({ toolUse: { input: half } }));
      blocks.push([{ toolUse: { toolUseId, name } }, input]);
    }
    return [
      awsMessage('messageStart', { role: 'assistant' }),
      ...blocks.flatMap(([start, deltas], contentBlockIndex) => [
        ...(start ? [awsMessage('contentBlockStart', { contentBlockIndex, start })] : []),
        ...deltas.map((delta) => awsMessage('contentBlockDelta', { contentBlockIndex, delta })),
        awsMessage('contentBlockStop', { contentBlockIndex }),
      ]),
      awsMessage('messageStop', { stopReason: call ? 'tool_use' : 'end_turn' }),
      awsMessage('metadata', BEDROCK_USAGE),
    ];
  },
  failure: (_, message) => ({ message }),
};
