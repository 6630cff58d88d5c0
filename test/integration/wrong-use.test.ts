/** Calls every command in every wrong way that its declaration tells: one line, exit code 1, nothing else printed. */
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../bin/main.ts';
import { type CliCommand, type CliOption, createApp } from '../../kernel/index.ts';
import { cli } from '../../plugins/cli/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { atlasHere } from '../harness/command-here.ts';

const NUMBERS = ['-1', '-0.5', '1e3', '0x10', 'NaN', 'Infinity', '1,000', '1 2', '９', '9'.repeat(40), '1;2', 'null'];
/** Control characters that would steer a terminal, a line break, and a URL with a password. */
const HOSTILE = ['\u001b[31mred\u0007', 'one\nline\r\ntwo', 'postgres://user:geheim@host/db', 'x'.repeat(5_000)];

async function run(...argv: string[]) {
  using folder = emptyFolder();
  return atlasHere(argv, { cwd: folder.path });
}

/** Resolves to the line on standard error. */
async function refused(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...argv);
  expect({ argv, code, stdout }).toEqual({ argv, code: 1, stdout: '' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
  expect(stderr, argv.join(' ')).toMatch(/^[^\u0000-\u001f\u007f-\u009f]{10,600}\n$/);
  expect(stderr).not.toContain('geheim');
  return stderr;
}

await using app = await createApp({ plugins: await commandLine() });
const commands = await app.get(cli).commands();

const words = (name: string) => name.split(' ').filter((word) => !/^[<[]/.test(word));
const flagOf = ({ flags }: CliOption) => /--[a-z-]+/.exec(flags)?.[0] ?? '';
const takesValue = ({ flags }: CliOption) => flags.includes('<');

/** A value that the option takes. */
function goodValue({ flags, schema }: CliOption): string {
  const choices = /[<[](.*\|.*)[>\]]/.exec(flags)?.[1]?.split('|');
  return choices?.[0] ?? (schema?.pattern === undefined ? String(schema?.minimum ?? 1) : 'abc');
}

/** The command with what it cannot be called without. */
function call({ name, options = [] }: CliCommand): string[] {
  const args = [...name.matchAll(/<[^>]+>/g)].map(() => 'abc');
  const required = options.filter((option) => option.required === true);
  return [...words(name), ...args, ...required.flatMap((option) => [flagOf(option), goodValue(option)])];
}

const given = (option: CliOption) => [flagOf(option), ...(takesValue(option) ? [goodValue(option)] : [])];

describe.each(commands.map((command) => [words(command.name).join(' '), command] as const))(
  'atlas %s',
  (_, command) => {
    const { name, options = [] } = command;
    const path = words(name);
    const base = call(command);

    it('has help with an example and a description of every option', async () => {
      const help = await run(...path, '--help');
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain(`Usage: atlas ${path.join(' ')}`);
      expect(help.stdout).toMatch(/^Examples:\n {2}\$ .*\batlas /m);
      for (const { flags, description, schema } of options) {
        expect(description).not.toBe('');
        if (/<(n|ms|days|seconds|rows)>/.test(flags)) expect(schema, `${flags} has a range`).toBeDefined();
      }
    });

    it('refuses options that it does not have', async () => {
      expect(await refused(...base, '--no-such-option')).toContain('no-such-option');
      expect(await refused(...base, '--no-such-option=geheim')).toContain('no-such-option');
      for (const option of options) {
        const flag = flagOf(option);
        expect(await refused(...base, `${flag}x`)).toContain(`Did you mean`);
        if (!/[<[]/.test(option.flags)) expect(await refused(...base, `${flag}=yes`)).toContain(flag);
      }
    });

    it('refuses arguments that are missing, blank or too many', async () => {
      const args = [...name.matchAll(/[<[]([^>\]]+)[>\]]/g)].map(([, arg = '']) => arg);
      const required = [...name.matchAll(/</g)].length;
      if (required > 0) expect(await refused(...path)).toMatch(/missing required argument|is missing/);
      if (args.length > 0)
        expect(await refused(...path, ...args.map(() => ' '), ...base.slice(path.length + required))).toMatch(
          /is empty|is missing/,
        );
      if (args.some((arg) => arg.endsWith('...'))) return;
      expect(await refused(...base, ...args.map(() => 'abc'), 'more', 'and more')).toContain('too many arguments');
      for (const hostile of HOSTILE) await refused(...base, ...args.map(() => 'abc'), hostile, hostile);
    });

    it.each(options.filter(takesValue).map((option) => [flagOf(option), option] as const))(
      'refuses %s without a value, with a blank one, with two, and with wrong ones',
      async (flag, option) => {
        expect(await refused(...base, flag)).toContain(flag);
        expect(await refused(...base, flag, '--json')).toContain(flag);
        expect(await refused(...base, `${flag}=`)).toContain(flag);
        expect(await refused(...base, flag, '')).toContain(flag);
        expect(await refused(...base, flag, ' \t ')).toContain(flag);
        const value = goodValue(option);
        expect(await refused(...path, flag, value, ...base.slice(path.length), flag, value)).toContain(
          `${flag} is given twice`,
        );
        if (/\|/.test(option.flags)) {
          for (const wrong of ['nonsense', 'STDIO', ...HOSTILE]) {
            const others = base.filter((word, index) => word !== flag && base[index - 1] !== flag);
            expect(await refused(...others, flag, wrong)).toMatch(new RegExp(`${flag} is invalid: expected .* or `));
          }
        }
        if (option.schema?.type === 'integer' || option.schema?.type === 'number') {
          for (const wrong of NUMBERS) {
            expect(await refused(...base, flag, wrong)).toMatch(new RegExp(`${flag} is invalid: expected a`));
          }
        } else if (option.schema?.pattern !== undefined) {
          for (const wrong of HOSTILE)
            expect(await refused(...base, flag, wrong)).toContain(`${flag} is invalid: expected`);
        }
      },
    );

    it('refuses options that exclude each other', async () => {
      const pairs = options.flatMap((option) =>
        options.filter((other) => option.conflicts?.includes(flagOf(other))).map((other) => [option, other] as const),
      );
      for (const [one, other] of pairs) {
        for (const both of [
          [one, other],
          [other, one],
        ]) {
          expect(await refused(...base, ...both.flatMap(given))).toMatch(/exclude each other/);
        }
      }
      const conflicting = pairs.map((pair) => pair.map(flagOf).sort().join(' '));
      const flags = new Set(options.map(flagOf));
      for (const [one = '', other = ''] of [
        ['--csv', '--json'],
        ['--connection', '--source'],
      ]) {
        if (flags.has(one) && flags.has(other)) expect(conflicting).toContain(`${one} ${other}`);
      }
      for (const flag of flags) {
        if (flags.has(`--no-${flag.slice(2)}`)) {
          expect(await refused(...base, flag, `--no-${flag.slice(2)}`)).toMatch(/exclude each other/);
        }
      }
      for (const { conflicts = [] } of options) for (const flag of conflicts) expect(flags).toContain(flag);
    });
  },
);

describe('atlas', () => {
  it.each([
    [['qeury', 'x'], 'Did you mean query?'],
    [['qeury', '--help'], 'Did you mean query?'],
    [['help', 'qeury'], 'Did you mean query?'],
    [['--no-such-option'], 'no-such-option'],
    [['--no-such-option', 'query', 'x'], 'no-such-option'],
    [[''], 'unknown command'],
    [['__proto__'], '__proto__'],
    [['constructor', '--help'], 'constructor'],
    ...HOSTILE.map((hostile): [string[], string] => [[hostile], 'unknown command']),
    ...HOSTILE.map((hostile): [string[], string] => [[hostile, '--help'], 'unknown command']),
    ...HOSTILE.map((hostile): [string[], string] => [[`--${hostile}`], 'unknown option']),
  ])('refuses %j', async (argv, message) => {
    expect(await refused(...argv)).toContain(message);
  });
});
