/** Tests how a command line is read: groups of commands, checked options, and interrupts. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type CliCommand, type CliRun, Type } from '../../kernel/index.ts';
import { allCommands } from './commands.ts';
import { runCommandLine } from './program.ts';

const calls: Pick<CliRun, 'args' | 'options'>[] = [];
const record: CliCommand['run'] = ({ args, options }) => {
  calls.push({ args, options });
  return 0;
};

const COMMANDS: readonly CliCommand[] = [
  {
    name: 'plugin create <name>',
    summary: 'create one',
    options: [{ flags: '--type <action|context>', description: 'its type', required: true }],
    run: record,
  },
  { name: 'plugin list', summary: 'list them', run: record },
  {
    name: 'send [files...]',
    summary: 'send files',
    options: [
      { flags: '-n, --limit <n>', description: 'how many', schema: Type.Integer({ minimum: 1 }) },
      {
        flags: '--since <date>',
        description: 'from this day on',
        schema: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', expected: 'a day such as 2026-01-31' }),
      },
      { flags: '--to [file|mail]', description: 'where to' },
      { flags: '--all', description: 'all of them', conflicts: ['--limit'] },
      { flags: '--note <text>', description: 'what to say' },
      { flags: '--enrich', description: 'with more' },
      { flags: '--no-enrich', description: 'without' },
    ],
    exitCodes: { 2: 'nothing was sent' },
    run: record,
  },
];

async function run(argv: readonly string[], commands = COMMANDS, signal = new AbortController().signal) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  calls.length = 0;
  const code = await runCommandLine(commands, argv, { env: {}, cwd: '.', stdout, stderr, signal }, '1.2.3');
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr), calls: [...calls] };
}

describe('a group of commands', () => {
  it('runs its commands', async () => {
    expect((await run(['plugin', 'create', 'mine', '--type', 'action'])).calls).toEqual([
      { args: ['mine'], options: { type: 'action' } },
    ]);
    expect((await run(['plugin', 'list'])).calls).toHaveLength(1);
  });

  it('has help', async () => {
    expect((await run(['--help'])).stdout).toMatch(/^ {2}plugin +create, list$/m);
    expect((await run(['plugin', '--help'])).stdout).toMatch(/^ {2}create \[options\] <name> +create one$/m);
    expect((await run(['help', 'plugin'])).stdout).toContain('Usage: atlas plugin');
    expect((await run(['plugin', 'create', '--help'])).stdout).toContain('Usage: atlas plugin create [options] <name>');
  });

  it.each([
    [['plugin'], 'error: a command of "plugin" is missing: create, list. Run atlas plugin --help for its use.'],
    [['plugin', 'lst'], "error: unknown command 'lst' (Did you mean list?) Run atlas plugin --help for its use."],
    [
      ['plugin', 'lst', '--help'],
      "error: unknown command 'lst' (Did you mean list?) Run atlas plugin --help for its use.",
    ],
    [['plugin', 'list', 'x'], "error: too many arguments for 'list'. Expected 0 arguments but got 1."],
    [
      ['plugin', 'create', 'x', '--typ', 'action'],
      "error: unknown option '--typ' (Did you mean --type?) Run atlas plugin create --help",
    ],
    [['plugin', 'create', 'x'], '--type <action|context> is missing.'],
    [
      ['plugin', 'create', 'x', '--type', 'acton'],
      '--type is invalid: expected action or context; did you mean `action`?',
    ],
    [['plugins', 'list'], "error: unknown command 'plugins' (Did you mean plugin?) Run atlas --help for the commands."],
  ])('%j is wrong use', async (argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect([code, stdout, calls]).toEqual([1, '', []]);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  it('cannot have the name of a command', async () => {
    const other = { plugin: 'mine', value: { name: 'hooks list', summary: '', run: record } };
    await expect(allCommands({} as never, [other])).rejects.toThrow('both bring the command "hooks list"');
  });
});

describe('options', () => {
  it.each([
    [['--limit', '7', 'a', 'b'], { args: ['a', 'b'], options: { limit: '7' } }],
    [['-n7'], { args: [], options: { limit: '7' } }],
    [['--note=--odd'], { args: [], options: { note: '--odd' } }],
    [['--since=2026-01-31', '--to'], { args: [], options: { since: '2026-01-31', to: true } }],
    [['--to', 'mail', '--no-enrich'], { args: [], options: { to: 'mail', enrich: false } }],
    [['--all', '--all', '--', '--limit'], { args: ['--limit'], options: { all: true } }],
  ])('%j are taken', async (argv, expected) => {
    expect(await run(['send', ...argv])).toMatchObject({ code: 0, stderr: '', calls: [expected] });
  });

  it.each([
    [['--limit', '0'], '--limit is invalid: expected an integer of at least 1.'],
    [['--limit', '9007199254740993'], '--limit is invalid'],
    [['--limit', '1.5'], '--limit is invalid'],
    [['--limit', '--all'], '--limit needs a value, but another flag follows it.'],
    [['--limit', '1', '--limit', '2'], '--limit is given twice; give it once.'],
    [['--limit', '1', '--all'], '--limit and --all exclude each other. Give one of them.'],
    [['--enrich', '--no-enrich'], '--enrich and --no-enrich exclude each other.'],
    [['--since', 'yesterday'], '--since is invalid: expected a day such as 2026-01-31.'],
    [['--to', 'nowhere'], '--to is invalid: expected file or mail.'],
    [['--to='], '--to is empty; it needs a value.'],
    [['a', ''], 'The argument <files> is empty.'],
  ])('%j are refused', async (argv, message) => {
    const { code, stdout, stderr } = await run(['send', ...argv]);
    expect([code, stdout, calls]).toEqual([1, '', []]);
    expect(stderr).toContain(message);
  });

  it('are described in the help, with the exit codes', async () => {
    expect((await run(['send', '--help'])).stdout).toMatch(
      /--limit <n>[\s\S]*Exit codes:\n {2}0 {2}success\n {2}1 {2}an error\n {2}2 {2}nothing was sent\n/,
    );
  });
});

describe('an interrupt', () => {
  const command = (own: Partial<CliCommand>): CliCommand => ({ name: 'work', summary: 'work', run: record, ...own });
  const untilAborted = ({ signal }: CliRun) =>
    new Promise<void>((done) => signal.addEventListener('abort', () => done()));

  it.each([
    ['ends without success', { run: async (given: CliRun) => untilAborted(given).then(() => 0) }, 130, 'Cancelled.\n'],
    [
      'is no error',
      { run: async (given: CliRun) => untilAborted(given).then(() => given.signal.throwIfAborted() ?? 0) },
      130,
      'Cancelled.\n',
    ],
    ['ends a command that does not hear it', { run: () => new Promise<number>(() => undefined) }, 130, 'Cancelled.\n'],
    ['stops what serves', { serves: true, run: async (given: CliRun) => untilAborted(given).then(() => 0) }, 0, ''],
  ])('%s', async (_, own, code, stderr) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect(await run(['work'], [command(own)], stop.signal)).toMatchObject({ code, stdout: '', stderr });
  });
});
