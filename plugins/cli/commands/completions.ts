/** `atlas completions`: prints a script that completes commands and flags in a shell. */
import type { CliCommand, CliOption } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { commandPath } from '../command-path.ts';
import { choicesOf, flagOf, wrongUse } from '../option-checks.ts';

const PROGRAMS = ['atlas', 'atlas-query'];
/** Names of values that are paths. */
const FILE = /[<[](files?|folder|path)\b/;

interface Completed {
  /** `plugin create`; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly CliOption[];
  /** What follows: the commands of a group, or the words of an argument such as `<bash|zsh>`. */
  readonly words: readonly { readonly word: string; readonly summary: string }[];
}

/** Every place of a command line, the program itself first. */
function placesOf(commands: readonly CliCommand[]): Completed[] {
  const all = commands.map((command) => ({ command, path: commandPath(command) }));
  const groups = [...new Set(all.flatMap(({ path }) => (path.length > 1 ? [String(path[0])] : [])))];
  const members = (group: string) =>
    all.flatMap(({ command, path }) =>
      path[0] === group ? [{ word: String(path[1]), summary: command.summary }] : [],
    );
  const groupPlaces = groups.map((group): Completed => {
    const words = members(group);
    return { path: group, summary: words.map(({ word }) => word).join(', '), options: [], words };
  });
  const places = all.map(({ command: { name, summary, options = [] }, path }): Completed => {
    const choices = /<([^<>]*\|[^<>]*)>/.exec(name)?.[1]?.split('|') ?? [];
    return { path: path.join(' '), summary, options, words: choices.map((word) => ({ word, summary: '' })) };
  });
  const first = [...places, ...groupPlaces].filter(({ path }) => !path.includes(' '));
  const top = first.map(({ path, summary }) => ({ word: path, summary }));
  return [{ path: '', summary: '', options: [], words: top }, ...groupPlaces, ...places];
}

const flagsOf = ({ path, options }: Completed) =>
  [...options.map(flagOf), '--help', ...(path === '' ? ['--version'] : [])].join(' ');

/** The cases of flags with a value: its words, or files, or nothing. */
function valueCases(places: readonly Completed[], words: (list: string) => string, files: string): string[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap((option) => {
      if (!/<[^>]*>$/.test(option.flags)) return [];
      const choices = choicesOf(option);
      const action = choices === undefined ? (FILE.test(option.flags) ? files : 'return') : words(choices.join(' '));
      return [`    '${path} ${flagOf(option)}') ${action} ;;`];
    }),
  );
}

const isGroup = ({ words, options }: Completed) => words.length > 0 && options.length === 0;

function bash(places: readonly Completed[]): string {
  const groups = places.filter(({ path, ...place }) => path !== '' && isGroup({ path, ...place }));
  const cases = places.map(
    (place) =>
      `    '${place.path}') flags='${flagsOf(place)}' words='${place.words.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `# Completes atlas in bash: source <(atlas completions bash)
_atlas() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place='' flags='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ "\${COMP_WORDS[i]}" == -* ]] && continue
    case "$place" in
    '') place="\${COMP_WORDS[i]}" ;;
${groups.map(({ path }) => `    '${path}') place="$place \${COMP_WORDS[i]}" ;;`).join('\n')}
    esac
  done
  case "$place $prev" in
${valueCases(places, (list) => `COMPREPLY=($(compgen -W '${list}' -- "$cur")); return`, 'compopt -o default 2>/dev/null; return').join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
  [[ -z "$words" && "$cur" != -* ]] && compopt -o default 2>/dev/null
  return 0
}
complete -F _atlas ${PROGRAMS.join(' ')}
`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(places: readonly Completed[]): string {
  const described = ({ words, options, path }: Completed) => {
    const colon = (text: string) => text.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
    const list = words.map(({ word, summary }) => quoted(summary === '' ? word : `${word}:${colon(summary)}`));
    const flags = options.map((option) => quoted(`${flagOf(option)}:${colon(option.description)}`));
    return `    '${path}') words_here=(${list.join(' ')}) flags=(${[...flags, "'--help:show this help'"].join(' ')}) ;;`;
  };
  const groups = places.filter((place) => place.path !== '' && isGroup(place));
  return `#compdef ${PROGRAMS.join(' ')}
# Completes atlas in zsh: source <(atlas completions zsh)
_atlas() {
  local place='' word
  local -a words_here flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] && continue
    case "$place" in
    '') place="$word" ;;
${groups.map(({ path }) => `    '${path}') place="$place $word" ;;`).join('\n')}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${valueCases(places, (list) => `compadd -- ${list}; return`, '_files; return').join('\n')}
  esac
  case "$place" in
${places.map(described).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe 'flag' flags
  elif (( \${#words_here} )); then _describe 'command' words_here
  else _files; fi
}
compdef _atlas ${PROGRAMS.join(' ')}
`;
}

function fish(places: readonly Completed[]): string {
  const escaped = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const groups = new Map(
    places.filter((place) => place.path !== '' && isGroup(place)).map((place) => [place.path, place]),
  );
  const condition = (path: string) => {
    if (path === '') return '__fish_use_subcommand';
    const [group = '', member] = path.split(' ');
    const names = groups.get(group)?.words.map(({ word }) => word) ?? [];
    if (member !== undefined) return `__fish_seen_subcommand_from ${group}; and __fish_seen_subcommand_from ${member}`;
    const none = names.length === 0 ? '' : `; and not __fish_seen_subcommand_from ${names.join(' ')}`;
    return `__fish_seen_subcommand_from ${group}${none}`;
  };
  const lines = PROGRAMS.flatMap((program) =>
    places.flatMap((place) => {
      const start = `complete -c ${program} -n '${condition(place.path)}'`;
      return [
        ...(place.path === '' || isGroup(place) ? [] : [`${start} -l help -d 'show this help'`]),
        ...place.words.map(({ word, summary }) => `${start} -f -a ${escaped(word)} -d ${escaped(summary)}`),
        ...place.options.map((option) => {
          const choices = choicesOf(option);
          const hasValue = /<[^>]*>$/.test(option.flags);
          const value = choices === undefined ? (hasValue ? ' -r' : '') : ` -x -a ${escaped(choices.join(' '))}`;
          return `${start} -l ${flagOf(option).slice(2)}${value} -d ${escaped(option.description)}`;
        }),
      ];
    }),
  );
  return `# Completes atlas in fish: atlas completions fish | source\n${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (places: readonly Completed[]) => string>> = { bash, zsh, fish };

export const completions = (cli: Cli): CliCommand => ({
  name: 'completions <bash|zsh|fish>',
  summary: 'print a script that completes commands and flags in a shell',
  examples: [
    'source <(atlas completions bash)',
    'source <(atlas completions zsh)',
    'atlas completions fish > ~/.config/fish/completions/atlas.fish',
  ],
  run: async (run) => {
    const [name = ''] = run.args;
    const script = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
    if (script === undefined) throw wrongUse('The shell is unknown: expected bash, zsh or fish.');
    run.stdout.write(script(placesOf(await cli.commands())));
    return 0;
  },
});
