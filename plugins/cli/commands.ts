/** Lists the commands of this plugin, each loaded when it is run or its help is shown, and adds those of other plugins. */
import { AtlasError, type CliCommand } from '../../kernel/index.ts';
import type { Cli } from './api.ts';
import { commandPath } from './command-path.ts';

/** Its answer depends on all commands, also on those of `atlas.config.ts`. */
export const LISTS_ALL = 'completions';

export const COMMANDS: Readonly<Record<string, () => Promise<(cli: Cli) => CliCommand>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  demo: async () => (await import('./commands/demo.ts')).demo,
  query: async () => (await import('./commands/query.ts')).query,
  download: async () => (await import('./commands/download.ts')).downloadRows,
  explain: async () => (await import('./commands/explain.ts')).explainQuestion,
  chat: async () => (await import('./commands/chat.ts')).chat,
  hooks: async () => (await import('./commands/hooks.ts')).hooks,
  boot: async () => (await import('./commands/boot.ts')).boot,
  validate: async () => (await import('./commands/validate.ts')).validate,
  doctor: async () => (await import('./commands/validate.ts')).doctor,
  index: async () => (await import('./commands/index-layer.ts')).index,
  verified: async () => (await import('./commands/verified.ts')).verified,
  smoke: async () => (await import('./commands/smoke.ts')).smoke,
  completions: async () => (await import('./commands/completions.ts')).completions,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  upgrade: async () => (await import('./commands/upgrade.ts')).upgrade,
};

/** One command of this plugin; `undefined`: it has none of that name. */
export async function ownCommand(name: string | undefined, cli: Cli): Promise<CliCommand | undefined> {
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return load && (await load())(cli);
}

interface Brought {
  readonly plugin: string;
  readonly value: CliCommand;
}

/** `plugin` and `plugin list` cannot both be commands: the first is the group of the second. */
function areInConflict(one: CliCommand, other: CliCommand): boolean {
  const [a, b] = [commandPath(one), commandPath(other)];
  return a.every((word, index) => b[index] === undefined || b[index] === word);
}

/** All commands of this plugin, then those that others bring. Throws when two have the same name. */
export async function allCommands(cli: Cli, others: readonly Brought[]): Promise<CliCommand[]> {
  const own = await Promise.all(Object.values(COMMANDS).map(async (load) => (await load())(cli)));
  const all = [...own.map((value): Brought => ({ plugin: 'cli', value })), ...others];
  for (const [index, item] of all.entries()) {
    const first = all.slice(0, index).find((other) => areInConflict(other.value, item.value));
    if (first === undefined) continue;
    throw new AtlasError(
      `The plugins "${first.plugin}" and "${item.plugin}" both bring the command "${commandPath(item.value).join(' ')}".`,
      {
        code: 'configuration_error',
        reason: 'E_COMMAND_DUPLICATE',
        hint: 'Rename one of them.',
      },
    );
  }
  return all.map(({ value }) => value);
}
