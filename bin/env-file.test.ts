import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../test/harness/command.ts';
import { loadEnvFile } from './env-file.ts';

function load(text: string, env: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  using folder = emptyFolder();
  writeFileSync(join(folder.path, '.env'), text);
  loadEnvFile(folder.path, env);
  return env;
}

describe('.env', () => {
  it('is optional', () => {
    using folder = emptyFolder();
    expect(() => loadEnvFile(folder.path, {})).not.toThrow();
  });

  it('adds what the environment does not have, an empty value being one', () => {
    expect(load('PORT=1\nSVC_HOST=a\nSVC_MODEL=b\n', { PORT: '2', SVC_HOST: '' })).toEqual({
      PORT: '2',
      SVC_HOST: '',
      SVC_MODEL: 'b',
    });
  });

  it.each([
    'A=1 # why\n# B=2\n\n  export C="x=y" # z\nD=\n',
    'A="one\ntwo # not a comment\n"\nB=\'"\'\nC=`\'"`',
    '\uFEFFA=1\r\nB="x"\r\n',
    "A=it's\nB = spaced \n",
  ])('reads what Node reads: %j', (text) => {
    expect(load(text)).toEqual({ ...parseEnv(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')) });
  });

  it.each([
    ['A=1\nSVC_API_KEY hunter2\n', 2],
    ['A="one\n# two\nB=hunter2\n', 1],
    ["A='x\ny'\n=hunter2\n", 3],
    ['hunter2', 1],
  ])('names the line that is wrong and never shows it: %j', (text, line) => {
    expect(() => load(text)).toThrow(`.env, line ${line} cannot be read.`);
    expect(() => load(text)).not.toThrow(/hunter2/);
  });

  it('that is a folder is refused', () => {
    using folder = emptyFolder();
    mkdirSync(join(folder.path, '.env'));
    expect(() => loadEnvFile(folder.path, {})).toThrow('cannot be read: it is a folder.');
  });
});
