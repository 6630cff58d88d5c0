/** Reads the messages of a chat client as the turns of a question. */
import { AtlasError, type ChatTurn } from '../../kernel/index.ts';
import { queryIn } from '../agent/index.ts';
import type { ChatMessage } from './schemas.ts';

/** Says what is not valid at a path of the body. */
export function refuse(path: string, message: string): AtlasError {
  return new AtlasError(`The request body is not valid: ${path} ${message}.`, {
    code: 'validation_error',
    details: [{ path, message }],
  });
}

/** The text of a message. A user sends text alone; what else an assistant's message holds is the client's own view. */
function textOf({ role, parts }: ChatMessage, path: string): string {
  const texts: string[] = [];
  for (const [index, { type, text }] of parts.entries()) {
    if (type !== 'text') {
      if (role === 'user') throw refuse(`${path}.parts.${index}.type`, 'must be "text" in a message of the user');
    } else if (typeof text !== 'string') {
      throw refuse(`${path}.parts.${index}.text`, text === undefined ? 'is required' : 'must be a string');
    } else if (text.trim() !== '') {
      texts.push(text);
    }
  }
  return texts.join('\n\n');
}

/** Messages with neither text nor query are left out. Throws `validation_error` unless the last one is a question of the user. */
export function turnsOf(messages: readonly ChatMessage[]): ChatTurn[] {
  const turns: ChatTurn[] = [];
  const last = messages.length - 1;
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    if (index === last && message.role !== 'user') throw refuse(`${path}.role`, 'must be "user" in the last message');
    const text = textOf(message, path);
    const query = message.role === 'assistant' ? queryIn(message.parts) : undefined;
    if (text !== '' || query !== undefined) turns.push({ role: message.role, text, ...(query && { query }) });
    else if (index === last) throw refuse(`${path}.parts`, 'must contain text in the last message');
  }
  return turns;
}
