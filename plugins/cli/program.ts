/** Parses a command line with the commander library and runs its command. */
import { Command, CommanderError } from 'commander';
import { AtlasError, type CliCommand, messageOf } from '../../kernel/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import type { Terminal } from './api.ts';
import { printableText } from './render.ts';

/** An error as the terminal shows it: what, then what to do, and no credentials. */
export function errorText(error: unknown): string {
  const hint = error instanceof AtlasError && error.hint !== undefined ? ` ${error.hint}` : '';
  return `${printableText(withoutCredentials(messageOf(error) + hint))}\n`;
}

/** The library shows the general help for `unknown --help` and `help unknown`: left alone, the name is an error. */
function withoutHelpOfUnknown(argv: readonly string[], commands: readonly CliCommand[]): string[] {
  const names = [...commands.map(({ name }) => name.split(' ')[0]), 'help'];
  const asked = argv.filter((word) => !word.startsWith('-')).slice(0, argv[0] === 'help' ? 2 : 1);
  const unknown = asked.find((word) => !names.includes(word));
  return unknown === undefined ? [...argv] : [unknown];
}

/** Runs `argv`. Exit codes: the command's own; 0 for help and version; 1 for errors and wrong use. */
export async function runCommandLine(
  commands: readonly CliCommand[],
  argv: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  let exitCode = 0;
  const program = new Command('atlas')
    .description('Answers plain-language questions about your databases.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .showSuggestionAfterError()
    .showHelpAfterError('Run atlas --help for the commands.');
  const settle = (command: Command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(printableText(text)),
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
    });
  settle(program);
  for (const command of commands) {
    const sub = settle(
      program.command(command.name).description(command.summary).helpOption('-h, --help', 'show this help'),
    );
    sub.showHelpAfterError(`Run atlas ${sub.name()} --help for its use.`);
    for (const { flags, description, default: value } of command.options ?? []) sub.option(flags, description, value);
    if (command.examples !== undefined) {
      sub.addHelpText('after', `\nExamples:\n${command.examples.map((line) => `  $ ${line}`).join('\n')}`);
    }
    sub.action(async () => {
      exitCode = await command.run({ ...terminal, args: sub.args, options: sub.opts() });
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
    if (error instanceof CommanderError) return error.exitCode;
    terminal.stderr.write(errorText(error));
    return 1;
  }
}
