/** Reads the chat stream of a server: `data: <code>:<json>`. */
import { AtlasError } from '../../kernel/index.ts';
import type { Provenance, ValueFormats } from '../result-kit/index.ts';
import type { AnswerEnd } from './server-client.ts';

export interface ToolResult {
  readonly columns?: readonly string[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly truncated?: boolean;
  readonly sql?: string;
  readonly provenance?: Provenance;
  readonly formats?: ValueFormats;
}

export type ChatEvent =
  | { readonly code: '0'; readonly value: string }
  | { readonly code: '9'; readonly value: { readonly toolCallId: string; readonly args: { readonly sql?: string } } }
  | { readonly code: 'a'; readonly value: { readonly toolCallId: string; readonly result: ToolResult } }
  | { readonly code: '3'; readonly value: { readonly message: string } }
  | { readonly code: 'd'; readonly value: AnswerEnd };

const END = '\n\n';
const EVENT = /^data: ([09a3d]):/;

/** The events of a reply. Throws an `AtlasError` when it breaks off before the last one. */
export async function* chatEvents(reply: Response): AsyncGenerator<ChatEvent> {
  let text = '';
  let isOver = false;
  for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    // The end of an event may be split between two pieces.
    let from = Math.max(0, text.length - 1);
    text += piece;
    let begin = 0;
    for (let end = text.indexOf(END, from); end !== -1; end = text.indexOf(END, from)) {
      const line = text.slice(begin, end);
      from = end + END.length;
      begin = from;
      const code = EVENT.exec(line)?.[1] as ChatEvent['code'] | undefined;
      if (code === undefined) continue;
      isOver ||= code === 'd';
      yield { code, value: JSON.parse(line.slice('data: x:'.length)) };
    }
    text = text.slice(begin);
  }
  if (!isOver) throw new AtlasError('The answer broke off: the server closed the connection.', { hint: 'Ask again.' });
}
