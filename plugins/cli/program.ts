/** Parses a command line with the commander library, checks it, and runs its command. */
import { Command, CommanderError } from 'commander';
import { AtlasError, type CliCommand, type CliRun, messageOf } from '../../kernel/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import type { Terminal } from './api.ts';
import { commandPath } from './command-path.ts';
import { checkArguments, checkOptions, flagOf, type GivenOption } from './option-checks.ts';
import { printableLine, printableText } from './render.ts';

/** Limit in characters for a message that repeats what was typed. */
const MAX_MESSAGE_LENGTH = 300;
/** For a command to undo what it has begun; the process ends a second later at the latest. */
const CLEANUP_MS = 3_000;
/** As shells report a program that was interrupted. */
const INTERRUPTED = 130;

/** An error as the terminal shows it: what, then what to do, and no credentials. Wrong use takes one line. */
export function errorText(error: unknown): string {
  const { hint, code } = error instanceof AtlasError ? error : {};
  const text = withoutCredentials(messageOf(error) + (hint === undefined ? '' : ` ${hint}`));
  return `${code === 'invalid_request' ? printableLine(text) : printableText(text)}\n`;
}

/** An error of the library in one line, without values of options and arguments, which may be secret. */
function wrongUseText({ message, code }: CommanderError, argv: readonly string[], commands: readonly CliCommand[]) {
  const words = argv.filter((word) => !word.startsWith('-'));
  const paths = commands.map(commandPath);
  const members = paths.filter(([group, name]) => group === words[0] && name !== undefined).map(([, name]) => name);
  const command = paths.find((path) => path.every((word, index) => word === words[index]))?.join(' ');
  const named = command ?? (members.length > 0 ? words[0] : undefined);
  const text =
    code === 'commander.help'
      ? `error: a command of "${words[0]}" is missing: ${members.join(', ')}.`
      : message
          .replace(/^(error: unknown option '[^=']*)=.*'(\n\(Did|$)/, "$1'$2")
          .replace(/ but got (\d+): .*$/s, ' but got $1. Put quotes around text with spaces');
  const line = printableLine(withoutCredentials(text));
  const cut = line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
  const help = named === undefined ? 'Run atlas --help for the commands.' : `Run atlas ${named} --help for its use.`;
  return `${cut.replace(/[^.?!…)]$/, '$&.')} ${help}\n`;
}

/** The library shows the general help for `unknown --help` and `help unknown`: left alone, the name is an error. */
function withoutHelpOfUnknown(argv: readonly string[], commands: readonly CliCommand[]): string[] {
  const words = argv.filter((word) => !word.startsWith('-'));
  const path = words[0] === 'help' ? words.slice(1) : words;
  const known = commands.map(commandPath);
  for (const depth of path.keys()) {
    const isMember = (names: readonly string[]) => path.slice(0, depth).every((word, index) => names[index] === word);
    const next = known.filter(isMember).map((names) => names[depth]);
    if (next.includes(undefined) || (depth === 0 && path[0] === 'help')) break;
    if (!next.includes(path[depth])) return path.slice(0, depth + 1);
  }
  return [...argv];
}

/** Runs a command. Once it is interrupted it may clean up for a moment, and ends with 0 only when it is one that serves. */
async function runUntilInterrupted(command: CliCommand, run: CliRun): Promise<number> {
  if (command.serves === true) return command.run(run);
  const { signal } = run;
  const gaveUp = new Promise<undefined>((resolve) => {
    const giveUpSoon = () => setTimeout(() => resolve(undefined), CLEANUP_MS).unref();
    if (signal.aborted) giveUpSoon();
    else signal.addEventListener('abort', giveUpSoon, { once: true });
  });
  try {
    const code = await Promise.race([command.run(run), gaveUp]);
    if (!signal.aborted || (code !== undefined && code !== 0)) return code ?? 1;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  run.stderr.write('Cancelled.\n');
  return INTERRUPTED;
}

const EXIT_CODES = { 0: 'success', 1: 'an error' };

/** What the help of a command says after its options. */
function afterHelp({ examples = [], exitCodes }: CliCommand): string {
  const codes = Object.entries({ ...EXIT_CODES, ...exitCodes }).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return [
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((line) => `  $ ${line}`)]),
    ...(exitCodes === undefined ? [] : ['', 'Exit codes:', ...codes]),
  ].join('\n');
}

/** Runs `argv`. Exit codes: the command's own; 0 for help and version; 1 for errors and wrong use; 130 when interrupted. */
export async function runCommandLine(
  commands: readonly CliCommand[],
  argv: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  let exitCode = 0;
  const settle = (command: Command) =>
    command
      .helpOption('-h, --help', 'show this help')
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void terminal.stdout.write(text),
        // One line is written below.
        writeErr: () => undefined,
        getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      });
  const program = settle(new Command('atlas'))
    .description('Answers plain-language questions about your databases.')
    .version(version, '-v, --version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .enablePositionalOptions()
    .showSuggestionAfterError();
  const groups = new Map<string, Command>();
  const groupOf = (name: string) => {
    const names = commands.map(commandPath).filter(([first]) => first === name);
    const group = settle(program.command(name)).description(names.map(([, member]) => member).join(', '));
    groups.set(name, group.helpCommand(false));
    return group;
  };
  for (const command of commands) {
    const path = commandPath(command);
    const [first = ''] = path;
    const parent = path.length === 1 ? program : (groups.get(first) ?? groupOf(first));
    const sub = settle(
      parent.command(
        command.name
          .split(' ')
          .slice(path.length - 1)
          .join(' '),
      ),
    );
    sub.description(command.summary).addHelpText('after', afterHelp(command));
    const given: GivenOption[] = [];
    for (const declared of command.options ?? []) {
      const option = sub.createOption(declared.flags, declared.description).default(declared.default);
      sub.addOption(option);
      sub.on(`option:${option.name()}`, (value: string | null = null) => {
        given.push({ declared, value, isJoined: argv.includes(`${flagOf(declared)}=${value}`) });
      });
    }
    sub.action(async () => {
      checkOptions(given, command.options);
      checkArguments(
        sub.args,
        sub.registeredArguments.map((argument) => argument.name()),
      );
      exitCode = await runUntilInterrupted(command, { ...terminal, args: sub.args, options: sub.opts() });
    });
  }
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(withoutHelpOfUnknown(argv, commands), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const isWrongUse = error instanceof CommanderError;
    terminal.stderr.write(isWrongUse ? wrongUseText(error, argv, commands) : errorText(error));
    return 1;
  }
}
