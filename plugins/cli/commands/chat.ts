/** `atlas chat`: a conversation on the terminal. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { AtlasError, type Awaitable, type CliCommand, type CliRun, didYouMean } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { ask, type ChatSession, newSession } from '../chat-session.ts';
import { openServer } from '../local-server.ts';
import { errorText } from '../program.ts';
import { indent, printableText, renderCsv } from '../render.ts';

const PROMPT = '> ';
const WELCOME = 'Ask a question; \\help lists the commands, \\quit ends.';
/** As a shell ends after Ctrl-C. */
const INTERRUPTED = 130;

interface Line {
  readonly session: ChatSession;
  readonly run: CliRun;
  /** What stands after the command's name. */
  readonly text: string;
}

interface ChatCommand {
  readonly help: string;
  /** Resolves to the session that follows; prints to the run's output. */
  run(line: Line): Awaitable<ChatSession | undefined>;
}

const noAnswer = new AtlasError('There is no answer with rows yet.', { hint: 'Ask a question first.' });

function lastTable({ tables }: ChatSession) {
  const table = tables.at(-1);
  if (table === undefined) throw noAnswer;
  return table;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  sql: {
    help: 'show the SQL of the last rows',
    run({ session, run }) {
      if (session.sql.length === 0) throw noAnswer;
      run.stdout.write(`${session.sql.map((sql) => indent(printableText(sql))).join('\n\n')}\n`);
      return session;
    },
  },
  csv: {
    help: 'print the last rows as CSV, or write them to a new file: \\csv rows.csv',
    run({ session, run, text }) {
      const csv = renderCsv(lastTable(session));
      if (text === '') run.stdout.write(csv);
      else writeNew(resolve(run.cwd, text), csv);
      return session;
    },
  },
  chart: {
    help: 'draw the last rows as bars',
    async run({ session, run }) {
      const { renderChart } = await import('../chart.ts');
      const chart = renderChart(lastTable(session), run.stdout.columns || undefined);
      if (chart === undefined) throw new AtlasError('The last rows have no column of numbers to draw.');
      run.stdout.write(`${chart}\n`);
      return session;
    },
  },
  new: {
    help: 'begin a new conversation',
    run: ({ session }) => newSession(session.server, session.connectionId),
  },
  help: {
    help: 'show this list',
    run({ session, run }) {
      const lines = Object.entries(COMMANDS).map(([name, { help }]) => `  \\${name.padEnd(6)} ${help}\n`);
      run.stdout.write(lines.join(''));
      return session;
    },
  },
  quit: { help: 'end (also Ctrl-D)', run: () => undefined },
};

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists' : code === 'ENOENT' ? 'there is no such folder' : code;
    throw new AtlasError(`${path} was not written: ${why}.`, { hint: 'Name another file.', cause: error });
  }
}

/** Runs a line that begins with a backslash. */
function command(line: string, session: ChatSession, run: CliRun): Awaitable<ChatSession | undefined> {
  const [, name = '', text = ''] = /^\\(\S*)\s*(.*)$/.exec(line) ?? [];
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (found === undefined) {
    throw new AtlasError(`There is no command \\${name}${didYouMean(name, Object.keys(COMMANDS)) || '.'}`, {
      hint: '\\help lists them.',
    });
  }
  return found.run({ session, run, text: text.trim() });
}

/** A number stands for one of the choices. */
function questionOf(line: string, { choices }: ChatSession): string {
  if (choices.length === 0 || !/^\d+$/.test(line)) return line;
  const chosen = choices[Number(line) - 1];
  if (chosen === undefined) {
    throw new AtlasError(`${line} is none of the choices.`, {
      hint: `Answer with a number from 1 to ${choices.length}.`,
    });
  }
  return chosen.label;
}

/** Takes lines until the input ends. Resolves to the exit code: 1 when a line of a file or pipe met an error. */
async function converse(run: CliRun, first: ChatSession, input: Interface, isTerminal: boolean): Promise<number> {
  let session = first;
  let code = 0;
  let answering: AbortController | undefined;
  // On a terminal the library takes the key; the first one stops the answer.
  input.on('SIGINT', () => {
    if (answering === undefined) {
      code = INTERRUPTED;
      input.close();
    } else answering.abort();
  });
  const stop = () => {
    code = INTERRUPTED;
    input.close();
  };
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();
  if (isTerminal) input.prompt();
  for await (const text of input) {
    const line = text.trim();
    if (line !== '') {
      if (!isTerminal) run.stdout.write(`${PROMPT}${printableText(line)}\n`);
      answering = new AbortController();
      try {
        const next = line.startsWith('\\')
          ? await command(line, session, run)
          : await ask(session, run, questionOf(line, session), AbortSignal.any([run.signal, answering.signal]));
        if (next === undefined) break;
        session = next;
      } catch (error) {
        run.stderr.write(errorText(error));
        if (!isTerminal) code ||= 1;
      } finally {
        answering = undefined;
      }
      if (run.signal.aborted) break;
      run.stdout.write('\n');
    }
    if (isTerminal) input.prompt();
  }
  run.signal.removeEventListener('abort', stop);
  return code;
}

export const chat = (cli: Cli): CliCommand => ({
  name: 'chat',
  summary: 'hold a conversation: with a running server, or the database of this folder where none runs',
  options: [{ flags: '--connection <id>', description: 'ask this connection' }],
  examples: ['atlas chat', 'SVC_API_URL=https://atlas.example.com atlas chat', 'atlas chat < questions.txt'],
  exitCodes: { 0: 'ended', 1: 'a question of a file or pipe met an error', 130: 'ended by Ctrl-C' },
  run: async (run) => {
    const { connection } = run.options;
    await using server = await openServer(run, cli);
    const isTerminal = process.stdin.isTTY === true && run.stdout.isTTY === true;
    if (isTerminal) run.stdout.write(`${WELCOME}\n\n`);
    const input = createInterface({
      input: process.stdin,
      prompt: PROMPT,
      ...(isTerminal && { output: process.stdout, historySize: 500, removeHistoryDuplicates: true }),
    });
    try {
      return await converse(
        run,
        newSession(server, connection === undefined ? undefined : String(connection)),
        input,
        isTerminal,
      );
    } finally {
      input.close();
    }
  },
});
