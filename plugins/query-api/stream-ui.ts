/** Writes the AI SDK's UI message stream, version 1, which `useChat` reads. */
import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '../agent/index.ts';
import type { EventEncoder, StreamPart } from './event-stream.ts';
import { shownActions } from './pending-actions.ts';
import { forSdk } from './sdk-keys.ts';

function chunk(value: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const DONE = 'data: [DONE]\n\n';

/** Keeps track of the step and of the part that are open; one encoder serves one answer. */
export function uiEncoder(hasActions: boolean): EventEncoder {
  /** What the first chunk names, so that the client calls answer and conversation what Atlas calls them. */
  let names: { readonly messageId: string; readonly conversationId?: string } = { messageId: randomUUID() };
  let started = false;
  /** A step is a model call: text and tool calls, then the tools' results. */
  let step: 'none' | 'calling' | 'results' = 'none';
  /** Text and reasoning are parts that begin and end, one at a time. */
  let open: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined;
  const counts = { text: 0, reasoning: 0 };

  const endPart = (): string => {
    if (open === undefined) return '';
    const { type, id } = open;
    open = undefined;
    return chunk({ type: `${type}-end`, id });
  };
  const delta = (type: 'text' | 'reasoning', text: string): string => {
    let out = beginStep();
    if (open?.type !== type) {
      out += endPart();
      counts[type] += 1;
      open = { type, id: `${type}-${counts[type]}` };
      out += chunk({ type: `${type}-start`, id: open.id });
    }
    return out + chunk({ type: `${type}-delta`, id: open.id, delta: text });
  };
  const endStep = (): string => {
    if (step === 'none') return '';
    step = 'none';
    return endPart() + chunk({ type: 'finish-step' });
  };
  const begin = (): string => {
    if (started) return '';
    started = true;
    const { messageId, conversationId } = names;
    return chunk({
      type: 'start',
      messageId,
      ...(conversationId !== undefined && { messageMetadata: { conversationId } }),
    });
  };
  /** Text or a call after results belongs to the next model call. */
  const beginStep = (): string => {
    if (step === 'calling') return '';
    const before = begin() + endStep();
    step = 'calling';
    return before + chunk({ type: 'start-step' });
  };

  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    encode(event: AgentEvent): StreamPart {
      switch (event.type) {
        case 'start':
          names = event;
          return '';
        case 'reasoning':
        case 'text':
          return delta(event.type, event.text);
        case 'tool-call': {
          const { toolCallId, toolName, args: input } = event;
          return beginStep() + endPart() + chunk({ type: 'tool-input-available', toolCallId, toolName, input });
        }
        case 'tool-result': {
          const { toolCallId, result: output, error: errorText, statement } = event;
          const before = endPart();
          step = 'results';
          if (errorText !== undefined) return before + chunk({ type: 'tool-output-error', toolCallId, errorText });
          const id = JSON.stringify(toolCallId);
          return {
            before: `${before}data: {"type":"tool-output-available","toolCallId":${id},"output":`,
            json: forSdk(output),
            after: `}\n\n${statement ? chunk({ type: 'data-statement', id: toolCallId, data: statement }) : ''}`,
          };
        }
        case 'finish': {
          const { finishReason, usage, outcome, notes, choices, verified, suggestions = [] } = event.answer;
          const data = { outcome, notes, choices };
          const pendingActions = shownActions(event.answer, hasActions);
          const isPlain = outcome === 'answered' && notes.length === 0;
          return (
            begin() +
            endStep() +
            (isPlain ? '' : chunk({ type: 'data-outcome', id: 'outcome', data })) +
            (choices === undefined ? '' : chunk({ type: 'data-choices', id: 'choices', data: { choices } })) +
            (verified === undefined ? '' : chunk({ type: 'data-verified', id: 'verified', data: verified })) +
            (suggestions.length === 0
              ? ''
              : chunk({ type: 'data-suggestions', id: 'suggestions', data: { suggestions } })) +
            chunk({ type: 'finish', finishReason, messageMetadata: { usage, ...data, pendingActions } }) +
            DONE
          );
        }
      }
    },
    failure: (error) =>
      begin() +
      endStep() +
      chunk({ type: 'error', errorText: error.message }) +
      chunk({ type: 'finish', finishReason: 'error' }) +
      DONE,
  };
}
