/** Renders what an OpenAI-protocol server sends for one step: a JSON document, or the events of a stream. */
import type { Step, ToolCall } from './openai-server.ts';

/** Stands for the request's number in a rendered body, so that a step is rendered once and its ids stay unique. */
const NUMBER = '~n~';
const CREATED = 1_790_000_000;

export type Protocol = 'chat' | 'responses';

const callsOf = (step: Step): readonly ToolCall[] => step.toolCalls ?? (step.toolCall ? [step.toolCall] : []);
const idOf = (call: ToolCall, index: number) => call.id ?? `call_${NUMBER}_${index}`;
const argumentsOf = (call: ToolCall) => (typeof call.args === 'string' ? call.args : JSON.stringify(call.args ?? {}));
const usageOf = (step: Step) => ({ input: step.usage?.input ?? 100, output: step.usage?.output ?? 20 });
const wordsOf = (text: string) => text.match(/\S+\s*|\s+/g) ?? [];

/** Cuts a text in two, so that no client gets away with reading one delta only. */
const halvesOf = (text: string) =>
  text.length < 2 ? [text] : [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

/** Puts the request's number into a rendered body. */
export const numbered = (rendered: string, n: number) => rendered.replaceAll(NUMBER, String(n));

/** The answer to a request that did not ask for a stream. */
export const renderDocument = (protocol: Protocol, step: Step) =>
  JSON.stringify(protocol === 'chat' ? chatDocument(step) : responseDocument(step, 'completed'));

/** The answer as server-sent events, each complete with its blank line. */
export function renderEvents(protocol: Protocol, step: Step, includeUsage: boolean): string[] {
  return protocol === 'chat' ? chatEvents(step, includeUsage) : responseEvents(step);
}

function chatUsage(step: Step) {
  const { input, output } = usageOf(step);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const chatFinish = (step: Step) =>
  step.finishReason === undefined ? (callsOf(step).length > 0 ? 'tool_calls' : 'stop') : step.finishReason;

function chatDocument(step: Step) {
  const calls = callsOf(step).map((call, index) => ({
    id: idOf(call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  return {
    id: `chatcmpl-${NUMBER}`,
    object: 'chat.completion',
    created: CREATED,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: step.text ?? null,
          ...(calls.length > 0 && { tool_calls: calls }),
          ...step.message,
        },
        finish_reason: chatFinish(step),
      },
    ],
    ...(step.usage !== null && { usage: chatUsage(step) }),
  };
}

function chatEvents(step: Step, includeUsage: boolean): string[] {
  const events: string[] = [];
  const send = (choices: unknown[], more: object = {}) => {
    const base = { id: `chatcmpl-${NUMBER}`, object: 'chat.completion.chunk', created: CREATED, model: 'scripted' };
    events.push(`data: ${JSON.stringify({ ...base, choices, ...more })}\n\n`);
  };
  const delta = (delta: object, finish_reason: string | null = null) => send([{ index: 0, delta, finish_reason }]);
  delta({ role: 'assistant', content: '' });
  if (step.deltas === undefined && step.message !== undefined) delta(step.message);
  for (const own of step.deltas ?? wordsOf(step.text ?? '').map((content) => ({ content }))) delta(own);
  if (step.streamError) return [...events, `data: ${JSON.stringify({ error: step.streamError })}\n\n`];
  const calls = step.deltas === undefined ? callsOf(step) : [];
  calls.forEach((call, index) => {
    const start = { id: idOf(call, index), type: 'function', function: { name: call.name, arguments: '' } };
    delta({ tool_calls: [{ index, ...start }] });
    for (const part of halvesOf(argumentsOf(call))) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  });
  delta({}, chatFinish(step));
  if (includeUsage && step.usage !== null) send([], { usage: chatUsage(step) });
  events.push('data: [DONE]\n\n');
  return events;
}

function responseItems(step: Step) {
  const message = {
    id: `msg_${NUMBER}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: step.text ?? '', annotations: [] }],
  };
  const calls = callsOf(step).map((call, index) => ({
    id: `fc_${NUMBER}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: idOf(call, index),
    name: call.name,
    arguments: argumentsOf(call),
  }));
  return { message: step.text === undefined ? undefined : message, calls };
}

function responseDocument(step: Step, status: 'in_progress' | 'completed') {
  const { input, output } = usageOf(step);
  const { message, calls } = responseItems(step);
  const cut = step.finishReason === 'length';
  return {
    id: `resp_${NUMBER}`,
    object: 'response',
    created_at: CREATED,
    status: status === 'completed' && cut ? 'incomplete' : status,
    model: 'scripted',
    error: null,
    incomplete_details: status === 'completed' && cut ? { reason: 'max_output_tokens' } : null,
    output: status === 'in_progress' ? [] : [...(message ? [message] : []), ...calls],
    usage:
      status === 'in_progress'
        ? null
        : {
            input_tokens: input,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: output,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: input + output,
          },
  };
}

function responseEvents(step: Step): string[] {
  const events: string[] = [];
  const send = (type: string, more: object) => {
    const event = { type, sequence_number: events.length, ...more };
    events.push(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const { message, calls } = responseItems(step);
  const response = responseDocument(step, 'in_progress');
  send('response.created', { response });
  send('response.in_progress', { response });
  if (message) {
    const at = { item_id: message.id, output_index: 0, content_index: 0 };
    const part = message.content[0];
    const started = { ...message, status: 'in_progress', content: [] };
    send('response.output_item.added', { output_index: 0, item: started });
    send('response.content_part.added', { ...at, part: { ...part, text: '' } });
    for (const delta of wordsOf(step.text ?? '')) send('response.output_text.delta', { ...at, delta });
    if (!step.streamError) {
      send('response.output_text.done', { ...at, text: step.text });
      send('response.content_part.done', { ...at, part });
      send('response.output_item.done', { output_index: 0, item: message });
    }
  }
  if (step.streamError) {
    send('error', { code: null, param: null, ...step.streamError, type: 'error' });
    return events;
  }
  calls.forEach((call, index) => {
    const output_index = index + (message ? 1 : 0);
    const at = { item_id: call.id, output_index };
    send('response.output_item.added', { output_index, item: { ...call, status: 'in_progress', arguments: '' } });
    for (const delta of halvesOf(call.arguments)) send('response.function_call_arguments.delta', { ...at, delta });
    send('response.function_call_arguments.done', { ...at, arguments: call.arguments });
    send('response.output_item.done', { output_index, item: call });
  });
  const final = responseDocument(step, 'completed');
  send(final.status === 'incomplete' ? 'response.incomplete' : 'response.completed', { response: final });
  return events;
}
