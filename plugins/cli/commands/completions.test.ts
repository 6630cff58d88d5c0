/** Tests the completion scripts in real shells. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';
import { findTool } from '../../../test/harness/tools.ts';

const folder = emptyFolder();
const script = (shell: string) => join(folder.path, `atlas.${shell}`);
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await atlasHere(['completions', shell], { cwd: folder.path });
    expect([code, stderr]).toEqual([0, '']);
    writeFileSync(script(shell), stdout);
  }
});
afterAll(() => folder[Symbol.dispose]());

function output(shell: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd: folder.path });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const LINES: readonly (readonly [typed: readonly string[], found: readonly string[], not: readonly string[]])[] = [
  [['atlas', 'val'], ['validate'], ['query']],
  [['atlas', 'plugin', ''], ['list', 'create', 'add'], ['query']],
  [['atlas', 'mcp', '--transport', ''], ['stdio', 'sse'], ['--port']],
  [['atlas', 'query', '--'], ['--json', '--csv', '--help'], ['--apply']],
  [['atlas', 'completions', ''], ['bash', 'zsh', 'fish'], []],
];

describe('bash', () => {
  it.each(LINES)('completes %j', (typed, found, not) => {
    const run = `source ${script('bash')}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _atlas 2>/dev/null; echo "\${COMPREPLY[@]}"`;
    const words = output('bash', ['-c', run, 'bash', ...typed])
      .trim()
      .split(' ');
    expect(words).toEqual(expect.arrayContaining([...found]));
    for (const word of not) expect(words).not.toContain(word);
  });
});

suiteNeeding(
  'fish',
  findTool('fish') !== undefined,
  'Install the package "fish" of the system.',
)('fish', () => {
  it.each(LINES)('completes %j', (typed, found, not) => {
    const run = `source ${script('fish')}; complete -C '${typed.join(' ')}'`;
    const words = output('fish', ['--no-config', '-c', run])
      .split('\n')
      .map((line) => line.split('\t')[0]);
    expect(words).toEqual(expect.arrayContaining([...found]));
    for (const word of not) expect(words).not.toContain(word);
  });
});

suiteNeeding(
  'zsh',
  findTool('zsh') !== undefined,
  'Install the package "zsh" of the system.',
)('zsh', () => {
  it.each(LINES)('completes %j', (typed, found, not) => {
    // What the script hands to zsh's own functions.
    const run = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { :; }
      _describe() { local name; for name in "\${(@P)2}"; do print -- "\${name%%:*}"; done; }
      source ${script('zsh')}; words=("$@"); CURRENT=$#; _atlas`;
    const words = output('zsh', ['-f', '-c', run, 'zsh', ...typed])
      .trim()
      .split('\n');
    expect(words).toEqual(expect.arrayContaining(typed.at(-1) === 'val' ? ['validate'] : [...found]));
    for (const word of typed.at(-1) === 'val' ? [] : not) expect(words).not.toContain(word);
  });
});

it('an unknown shell is wrong use', async () => {
  expect(await atlasHere(['completions', 'tcsh'], { cwd: folder.path })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The shell is unknown: expected bash, zsh or fish.\n',
  });
});
