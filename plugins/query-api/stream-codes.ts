/** Writes the chat stream of the interface: `data: <code>:<json>`. */
import type { AgentEvent } from '../agent/index.ts';
import type { EventEncoder, StreamPart } from './event-stream.ts';
import { shownActions } from './pending-actions.ts';

function line(code: string, value: unknown): string {
  return `data: ${code}:${JSON.stringify(value)}\n\n`;
}

/** Keeps no state: each event is one line. */
export function codeEncoder(hasActions: boolean): EventEncoder {
  return {
    headers: {},
    encode(event: AgentEvent): StreamPart {
      switch (event.type) {
        case 'start':
        case 'reasoning':
          return '';
        case 'text':
          return line('0', event.text);
        case 'tool-call':
          return line('9', { toolCallId: event.toolCallId, toolName: event.toolName, args: event.args });
        case 'tool-result': {
          const toolCallId = JSON.stringify(event.toolCallId);
          // This format has no place of its own for what stands beside the rows.
          const { about } = event.statement ?? {};
          const json = about === undefined ? event.result : { ...(event.result as object), ...about };
          return { before: `data: a:{"toolCallId":${toolCallId},"result":`, json, after: '}\n\n' };
        }
        case 'finish': {
          const { finishReason, usage, steps, outcome, notes, choices, verified } = event.answer;
          const pendingActions = shownActions(event.answer, hasActions);
          return line('d', { finishReason, usage, steps, outcome, notes, choices, verified, pendingActions });
        }
      }
    },
    // The finish follows an error too, so that a client that waits for it is not left hanging.
    failure: (error) => line('3', error) + line('d', { finishReason: 'error' }),
  };
}
