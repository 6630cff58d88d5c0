/**
 * Gives the events and items of a Responses reply the types that the provider package insists on. Servers that speak the
 * API in their own way leave out ids, times, states and counts, none of which an answer depends on.
 */
import { isObject } from './event-lines.ts';
import { usageCounts } from './usage-counts.ts';

type Json = Record<string, unknown>;

const STATES = new Set<unknown>(['in_progress', 'completed', 'incomplete']);
/** Stands for the name of a call that has none, which may still be clear by its arguments. */
const NAMELESS = 'tool';

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown) => (Number.isSafeInteger(value) ? Number(value) : undefined);

/** An item without its parts; `undefined`: of a kind that is never asked for. */
export function repairedItem(sent: Json, position: number): Json | undefined {
  const { type, phase, call_id: callId, encrypted_content: encrypted, status } = sent;
  const id = textOf(sent.id) ?? `item_${position}`;
  if (type === 'message') {
    const isPhase = phase === 'commentary' || phase === 'final_answer';
    return { type, id, role: 'assistant', ...(isPhase && { phase }) };
  }
  if (type === 'reasoning') return { type, id, encrypted_content: textOf(encrypted) ?? null };
  if (type !== 'function_call') return undefined;
  return {
    type,
    id,
    call_id: textOf(callId) ?? id,
    name: textOf(sent.name) || NAMELESS,
    arguments: argumentsOf(sent.arguments),
    status: STATES.has(status) ? status : 'completed',
  };
}

const argumentsOf = (sent: unknown) => textOf(sent) ?? (sent == null ? '' : JSON.stringify(sent));

/** What a reply says besides its items: only what is of the right type. */
export function repairedResponse({ id, created_at: createdAt, model, incomplete_details: details, usage }: Json): Json {
  const reason = isObject(details) ? textOf(details.reason) : undefined;
  const counts = usageCounts(usage);
  const isCounted = counts?.input_tokens !== undefined && counts.output_tokens !== undefined;
  return {
    id: textOf(id) ?? '',
    created_at: numberOf(createdAt) ?? 0,
    model: textOf(model) ?? '',
    incomplete_details: reason === undefined ? null : { reason },
    ...(isCounted && { usage: counts }),
  };
}

/** An event as the package reads it; `undefined` for one that says nothing of the answer. */
export function repairedEvent(sent: Json): Json | undefined {
  const { type, item, output_index: index } = sent;
  const outputIndex = numberOf(index);
  const at = { type, item_id: textOf(sent.item_id) ?? '', output_index: outputIndex };
  const summary = { ...at, summary_index: numberOf(sent.summary_index) ?? 0 };
  const response = isObject(sent.response) ? sent.response : {};
  switch (type) {
    case 'response.created':
    case 'response.in_progress':
    case 'response.completed':
    case 'response.incomplete':
      return { type, response: repairedResponse(response) };
    case 'response.output_item.added':
    case 'response.output_item.done': {
      const repaired = isObject(item) ? repairedItem(item, outputIndex ?? 0) : undefined;
      return repaired && { type, output_index: outputIndex ?? 0, item: repaired };
    }
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return withText('delta', sent, at);
    case 'response.refusal.done':
      return withText('refusal', sent, at);
    case 'response.function_call_arguments.delta':
      return withText('delta', sent, { ...at, output_index: outputIndex ?? 0 });
    case 'response.reasoning_summary_text.delta':
      return withText('delta', sent, summary);
    case 'response.reasoning_summary_part.added':
    case 'response.reasoning_summary_part.done':
      return summary;
    default:
      return undefined;
  }
}

function withText(name: string, sent: Json, rest: Json): Json | undefined {
  const text = textOf(sent[name]);
  return text === undefined ? undefined : { ...rest, [name]: text };
}
