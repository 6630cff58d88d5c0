/** Holds a conversation: sends questions with what was said before, and prints the answers as they arrive. */
import { randomUUID } from 'node:crypto';
import colors from 'picocolors';
import { AtlasError, type CliRun } from '../../kernel/index.ts';
import { chatEvents, type ToolResult } from './chat-stream.ts';
import { indent, originText, printableText, type RenderedTable, renderTable, terminalStyle } from './render.ts';
import { type AnswerEnd, notAtlas, postForStream, type Server, verifiedLine } from './server-client.ts';

/** How many messages before a question are sent with it. */
const MAX_MESSAGES = 20;

interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly object[];
}

export interface ChatSession {
  readonly server: Server;
  readonly connectionId: string | undefined;
  readonly messages: readonly Message[];
  readonly conversationId: string | undefined;
  /** Between which the last answer asks to choose. */
  readonly choices: NonNullable<AnswerEnd['choices']>;
  /** Statements of the last answer that had any. */
  readonly sql: readonly string[];
  readonly tables: readonly RenderedTable[];
}

export function newSession(server: Server, connectionId: string | undefined): ChatSession {
  return { server, connectionId, messages: [], conversationId: undefined, choices: [], sql: [], tables: [] };
}

const message = (role: Message['role'], parts: readonly object[]): Message => ({ id: randomUUID(), role, parts });

const isTable = ({ columns, rows }: ToolResult): boolean => Array.isArray(columns) && Array.isArray(rows);

/** Asks a question; resolves to the session after it. Rejects with an `AtlasError`, then the session is as before. */
export async function ask(
  session: ChatSession,
  run: CliRun,
  question: string,
  signal: AbortSignal,
): Promise<ChatSession> {
  const { server, connectionId, conversationId } = session;
  const style = terminalStyle(run.stdout);
  const dim = (text: string) => (style.color ? colors.dim(text) : text);
  const messages = [...session.messages, message('user', [{ type: 'text', text: question }])];
  const reply = await postForStream({ ...server, signal }, 'api/v1/chat', {
    messages: messages.slice(-MAX_MESSAGES),
    ...(connectionId !== undefined && { connectionId }),
    ...(conversationId !== undefined && { conversationId }),
  });
  if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) {
    await reply.body?.cancel();
    throw notAtlas(server, reply);
  }
  const statements = new Map<string, string | undefined>();
  const parts: object[] = [];
  const sql: string[] = [];
  const tables: RenderedTable[] = [];
  let end: AnswerEnd = {};
  let text = '';
  let failure: string | undefined;
  // An empty line stands between pieces of different kinds.
  const block = (written: string) =>
    run.stdout.write(`${text === '' || text.endsWith('\n') ? '' : '\n\n'}${written}\n\n`);
  try {
    for await (const { code, value } of chatEvents(reply)) {
      if (code === '0') {
        text += value;
        run.stdout.write(printableText(value));
      } else if (code === '9') statements.set(value.toolCallId, value.args?.sql);
      else if (code === 'a') {
        const { result } = value;
        if (!isTable(result)) continue;
        const statement = result.sql ?? statements.get(value.toolCallId) ?? '';
        const { columns = [], rows = [], truncated = false, provenance, formats } = result;
        const table = { columns, rows, truncated, ...(provenance && { provenance }), ...(formats && { formats }) };
        sql.push(statement);
        tables.push(table);
        parts.push({
          type: 'tool-executeSQL',
          state: 'output-available',
          input: { sql: statement },
          output: { columns: table.columns },
        });
        block(
          [
            `${dim(indent(printableText(statement)))}\n`,
            table.rows.length === 0 ? dim('No rows.') : renderTable(table, style),
            ...originText(table).map(dim),
          ].join('\n'),
        );
        text = '';
      } else if (code === '3') failure = value.message;
      else end = value;
    }
  } catch (error) {
    if (signal.aborted) throw new AtlasError('Cancelled.', { cause: error });
    throw error;
  } finally {
    if (text !== '' && !text.endsWith('\n')) run.stdout.write('\n');
  }
  if (failure !== undefined) throw new AtlasError(failure);
  const { choices = [], notes = [], pendingActions = [], verified } = end;
  choices.forEach(({ label, description }, index) => {
    const more = description === undefined || description === '' ? '' : dim(` ${printableText(description)}`);
    run.stdout.write(`  ${index + 1}. ${printableText(label)}${more}\n`);
  });
  if (verified !== undefined) run.stdout.write(`${dim(verifiedLine(verified))}\n`);
  for (const note of notes) run.stdout.write(`${dim(`Note: ${printableText(note.message)}`)}\n`);
  for (const { summary, approveUrl } of pendingActions) {
    run.stdout.write(`${printableText(`Waits for approval: ${summary} (${approveUrl})`)}\n`);
  }
  return {
    ...session,
    messages: [...messages, message('assistant', [...parts, { type: 'text', text }])].slice(-MAX_MESSAGES),
    conversationId: reply.headers.get('x-conversation-id') ?? conversationId,
    choices,
    ...(sql.length > 0 ? { sql, tables } : { sql: session.sql, tables: session.tables }),
  };
}
