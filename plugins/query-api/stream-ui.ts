/** Writes the AI SDK's UI message stream, version 1, which `useChat` reads. */
import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '../agent/index.ts';
import type { EventEncoder, StreamPart } from './event-stream.ts';

function chunk(value: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const DONE = 'data: [DONE]\n\n';

/** Keeps track of the step and of the text part that are open; one encoder serves one answer. */
export function uiEncoder(): EventEncoder {
  /** What the first chunk names, so that the client calls answer and conversation what Atlas calls them. */
  let names: { readonly messageId: string; readonly conversationId?: string } = { messageId: randomUUID() };
  let started = false;
  /** A step is a model call: text and tool calls, then the tools' results. */
  let step: 'none' | 'calling' | 'results' = 'none';
  let texts = 0;
  let inText = false;

  const endText = (): string => {
    if (!inText) return '';
    inText = false;
    return chunk({ type: 'text-end', id: `text-${texts}` });
  };
  const endStep = (): string => {
    if (step === 'none') return '';
    step = 'none';
    return endText() + chunk({ type: 'finish-step' });
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
          return '';
        case 'text': {
          let out = beginStep();
          if (!inText) {
            inText = true;
            texts += 1;
            out += chunk({ type: 'text-start', id: `text-${texts}` });
          }
          return out + chunk({ type: 'text-delta', id: `text-${texts}`, delta: event.text });
        }
        case 'tool-call': {
          const { toolCallId, toolName, args: input } = event;
          return beginStep() + endText() + chunk({ type: 'tool-input-available', toolCallId, toolName, input });
        }
        case 'tool-result': {
          const { toolCallId, result: output, error: errorText } = event;
          const before = endText();
          step = 'results';
          if (errorText !== undefined) return before + chunk({ type: 'tool-output-error', toolCallId, errorText });
          const id = JSON.stringify(toolCallId);
          return {
            before: `${before}data: {"type":"tool-output-available","toolCallId":${id},"output":`,
            json: output,
            after: '}\n\n',
          };
        }
        case 'finish': {
          const { finishReason, usage, outcome, notes, choices } = event.answer;
          const data = { outcome, notes, choices };
          const isPlain = outcome === 'answered' && notes.length === 0;
          return (
            begin() +
            endStep() +
            (isPlain ? '' : chunk({ type: 'data-outcome', id: 'outcome', data })) +
            chunk({ type: 'finish', finishReason, messageMetadata: { usage, ...data } }) +
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
