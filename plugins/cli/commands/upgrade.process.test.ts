/** Tests `atlas upgrade --check` with an npm that answers from files, and with one that has no network. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { releasesOf } from './upgrade.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
const CHANGELOG = `# Changelog

## Unreleased

- Not yet there.

## 9.1.0 - 2030-05-01

- Faster \u001b[31manswers.

## 9.0.0

- \`SVC_OLD\` is gone; set \`SVC_NEW\`.

## ${version}

- What this version has.
`;

let folder: ReturnType<typeof emptyFolder>;
beforeEach(() => {
  folder = emptyFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** A program called npm that a shell runs. */
function npm(script: string): Record<string, string> {
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}

/** An npm whose registry has this version, and its packed package. */
function registry(newest: string): Record<string, string> {
  mkdirSync(join(folder.path, 'package'));
  writeFileSync(join(folder.path, 'package/CHANGELOG.md'), CHANGELOG);
  const tarball = join(folder.path, 'newest.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', folder.path, 'package']);
  return npm(`test "$2" = atlas-query@latest || exit 9
case $1 in
view) echo ${newest} ;;
pack) cp ${tarball} "$5" && echo newest.tgz ;;
esac`);
}

const upgrade = (env: Record<string, string>, ...args: string[]) =>
  atlasHere(['upgrade', ...args], { cwd: folder.path, env });

describe('atlas upgrade', () => {
  it('prints what each newer version changes, and how to install it', async () => {
    const { code, stdout, stderr } = await upgrade(registry('9.1.0'), '--check');
    expect([code, stderr]).toEqual([2, '']);
    expect(stdout).toBe(`atlas-query 9.1.0 is the newest version; this is ${version}.

## 9.1.0

- Faster ${'\\u001b'}[31manswers.

## 9.0.0

- \`SVC_OLD\` is gone; set \`SVC_NEW\`.

Install it: npm i atlas-query@9.1.0
`);
  });

  it('says that this is the newest version', async () => {
    const { code, stdout } = await upgrade(registry(version), '--check');
    expect([code, stdout]).toEqual([0, `atlas-query ${version} is the newest version.\n`]);
  });

  it.each([
    ['echo "npm error code ENOTFOUND" >&2; echo "npm error network …" >&2; exit 1', 'npm says ENOTFOUND'],
    ['exit 1', 'npm failed'],
  ])('without a network it is one sentence (%s)', async (script, reason) => {
    const { code, stdout, stderr } = await upgrade(npm(script), '--check');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`This is atlas-query ${version}; the newest version could not be looked up: ${reason}.`);
  });

  it('without npm it is one sentence', async () => {
    const { stderr } = await upgrade({ PATH: folder.path }, '--check');
    expect(stderr).toContain('npm is not installed here.');
  });

  it('installs nothing', async () => {
    const { code, stderr } = await upgrade(npm('exit 9'));
    expect(code).toBe(1);
    expect(stderr).toContain('Atlas does not replace itself. Give --check, or install it: npm i atlas-query@latest');
  });
});

describe('releasesOf', () => {
  it('reads the changelog of this repository', () => {
    const changelog = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
    expect(releasesOf(changelog).map((release) => release.version)).toContain(version);
  });
});
