/** Writes messages as the GenAI conventions define them, for traces with content. */
import { withoutCredentials } from '../redaction-kit/index.ts';

interface Message {
  readonly role: string;
  readonly text?: string;
  readonly content?: string | readonly Part[];
}

/** A part of a message of the model's interface: what of it is shown. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
}

function partOf({ type, text, toolCallId, toolName, input }: Part) {
  if (type === 'tool-call') return { type: 'tool_call', id: toolCallId, name: toolName, arguments: input };
  // Results hold rows of the database, which never leave with telemetry.
  if (type === 'tool-result') return { type: 'tool_call_response', id: toolCallId, name: toolName };
  return { type, content: text };
}

/** JSON, without credentials and without rows. */
export function messagesText(messages: readonly Message[]): string {
  const shown = messages.map(({ role, text, content = text ?? '' }) => ({
    role,
    parts: typeof content === 'string' ? [{ type: 'text', content }] : content.map(partOf),
  }));
  return withoutCredentials(JSON.stringify(shown));
}
