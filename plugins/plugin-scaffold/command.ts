/** `atlas plugin`: lists the plugins of the composition, creates one from a template, and adds one. */
import { type CliCommand, type CliRun, didYouMean } from '../../kernel/index.ts';
import { type Cli, wrongUse } from '../cli/index.ts';
import { PLUGIN_TYPES } from './create/plugin-types.ts';

interface Action {
  /** What its argument is; missing: it takes none. */
  readonly argument?: string;
  readonly options: readonly string[];
  run(run: CliRun, cli: Cli, argument: string): Promise<number>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: { options: ['json'], run: async (run, cli) => (await import('./list.ts')).listPlugins(run, cli) },
  create: {
    argument: 'the name of the plugin',
    options: ['type'],
    run: async (...given) => (await import('./create/create.ts')).createPlugin(...given),
  },
  add: {
    argument: 'a package name or a path',
    options: [],
    run: async (...given) => (await import('./add/add.ts')).addPlugin(...given),
  },
};

const HINT = 'Run atlas plugin --help for its use.';

function actionOf({ args, options }: CliRun): Action {
  const [name = '', argument] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw wrongUse(`There is no "atlas plugin ${name}"${didYouMean(name, Object.keys(ACTIONS)) || '.'}`, HINT);
  }
  if (action.argument !== undefined && argument === undefined) {
    throw wrongUse(`"atlas plugin ${name}" needs ${action.argument}.`, HINT);
  }
  if (action.argument === undefined && argument !== undefined) {
    throw wrongUse(`"atlas plugin ${name}" takes no name, but was given "${argument}".`, HINT);
  }
  const foreign = Object.keys(options).find(
    (option) => options[option] !== undefined && !action.options.includes(option),
  );
  if (foreign !== undefined) throw wrongUse(`"atlas plugin ${name}" has no option --${foreign}.`, HINT);
  return action;
}

export const pluginCommand = (cli: Cli): CliCommand => ({
  name: 'plugin <list|create|add> [name]',
  summary: 'list the plugins that run here, create a new one, or add one to atlas.config.ts',
  options: [
    { flags: `--type <${PLUGIN_TYPES.join('|')}>`, description: 'create: what the plugin is' },
    { flags: '--json', description: 'list: print JSON' },
  ],
  examples: [
    'atlas plugin list',
    'atlas plugin create company-calendar --type context',
    'atlas plugin add ./company-calendar',
  ],
  run: async (run) => actionOf(run).run(run, cli, run.args[1] ?? ''),
});
