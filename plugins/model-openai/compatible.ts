/**
 * Chat Completions as servers really send them. What OpenAI itself always sends, and the provider package therefore
 * insists on, is put in where a compatible server leaves it out: indexes, types, arguments as text, a finish reason,
 * a stream where a document came. What says something is never changed.
 */
import type { Rewrite } from './fetch.ts';

interface Call {
  index?: unknown;
  type?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

interface Message {
  role?: unknown;
  content?: unknown;
  tool_calls?: Call[] | null;
  annotations?: unknown;
}

interface Choice {
  index?: unknown;
  message?: Message;
  delta?: Message | null;
  finish_reason?: unknown;
  logprobs?: unknown;
}

interface Body {
  choices?: Choice[];
  usage?: unknown;
  error?: unknown;
}

const DONE = '[DONE]';

/** The rewriter for a successful response, by what it is and what was asked for. */
export function compatibleRewriter(contentType: string, requestBody: string): Rewrite {
  const streamWanted = requestBody.includes('"stream":true');
  if (!contentType.includes('text/event-stream')) return documentRewriter(streamWanted);
  return streamWanted ? eventRewriter() : (piece) => piece ?? '';
}

function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for the whole document; one that is asked for as a stream becomes a stream of one event. */
function documentRewriter(streamWanted: boolean): Rewrite {
  let text = '';
  return (piece) => {
    if (piece !== undefined) {
      text += piece;
      return '';
    }
    // A stream that is not labelled as one.
    if (streamWanted && /^\s*(data|event|id|:)/.test(text)) {
      const rewrite = eventRewriter();
      return rewrite(text) + rewrite(undefined);
    }
    const body = parsed(text);
    if (body === undefined || !Array.isArray(body.choices)) return text;
    if (!streamWanted) return JSON.stringify(complete(body));
    for (const choice of body.choices) choice.delta ??= choice.message ?? {};
    const finish = { choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(body) }] };
    return `${eventOf(complete(body))}${eventOf(finish)}data: ${DONE}\n\n`;
  };
}

const finishReasonOf = ({ choices = [] }: Body) =>
  choices.find(({ finish_reason: reason }) => reason)?.finish_reason ??
  (choices.some(({ delta, message }) => (delta ?? message)?.tool_calls?.length) ? 'tool_calls' : 'stop');

/** Rewrites server-sent events one by one, and joins the text of those that arrived together. */
function eventRewriter(): Rewrite {
  let rest = '';
  let finished = false;
  let called = false;
  return (piece) => {
    const lines = (rest + (piece ?? '\n')).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    let out = '';
    let joined: Body | undefined;
    const flush = () => {
      if (joined !== undefined) out += eventOf(joined);
      joined = undefined;
    };
    for (const line of lines) {
      // Comments and names of events say nothing in this protocol.
      if (!line.startsWith('data:')) continue;
      const data = line.slice(5).trim();
      const body = data === DONE ? undefined : parsed(data);
      // Some send the usage in an event of its own without an empty list of choices.
      if (body !== undefined && body.error === undefined) body.choices ??= [];
      if (body !== undefined && Array.isArray(body.choices)) {
        complete(body);
        finished ||= body.choices.some(({ finish_reason: reason }) => reason != null);
        called ||= body.choices.some(({ delta }) => (delta?.tool_calls?.length ?? 0) > 0);
        if (joined !== undefined && join(joined, body)) continue;
        flush();
        joined = body;
        continue;
      }
      flush();
      if (data === DONE && !finished) {
        out += eventOf({ choices: [{ index: 0, delta: {}, finish_reason: called ? 'tool_calls' : 'stop' }] });
        finished = true;
      }
      if (data !== '') out += `data: ${data}\n\n`;
    }
    flush();
    return out;
  };
}

const eventOf = (body: Body) => `data: ${JSON.stringify(body)}\n\n`;

/** The text that is all there is in a piece of a stream. */
function onlyText({ choices = [], usage }: Body): Message | undefined {
  const [choice, other] = choices;
  if (choice === undefined || other !== undefined || usage != null || choice.finish_reason != null) return undefined;
  const { delta } = choice;
  if (delta == null || typeof delta.content !== 'string') return undefined;
  return Object.keys(delta).every((key) => key === 'content' || key === 'role') ? delta : undefined;
}

function join(first: Body, second: Body): boolean {
  const [before, after] = [onlyText(first), onlyText(second)];
  if (before === undefined || after === undefined) return false;
  before.content = `${before.content}${after.content}`;
  return true;
}

/** Puts in what is missing. */
function complete(body: Body): Body {
  for (const [index, choice] of (body.choices ?? []).entries()) {
    if (typeof choice.index !== 'number') choice.index = index;
    if (choice.finish_reason === '') choice.finish_reason = null;
    // Never asked for and never read, but a shape of its own in them would spoil the answer.
    delete choice.logprobs;
    for (const message of [choice.message, choice.delta]) if (message != null) completeMessage(message);
  }
  return body;
}

function completeMessage(message: Message): void {
  delete message.annotations;
  if (message.role !== undefined && message.role !== 'assistant') delete message.role;
  if (Array.isArray(message.content)) message.content = message.content.map(textOf).join('');
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    if (typeof call.index !== 'number') call.index = index;
    call.type = 'function';
    call.function ??= {};
    const { function: called } = call;
    if (typeof called.arguments === 'object' && called.arguments !== null) {
      called.arguments = JSON.stringify(called.arguments);
    } else if (called.arguments == null && typeof called.name === 'string') called.arguments = '';
  }
}

const textOf = (part: unknown) =>
  typeof part === 'string' ? part : String((part as { text?: unknown } | null)?.text ?? '');
