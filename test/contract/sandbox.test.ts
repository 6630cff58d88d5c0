/** The sandbox kit passes on a backend that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { fakeSandbox, type SandboxFault } from '../fixtures/bad-plugins/sandbox-fake.ts';
import { failingChecks } from './kit.ts';
import { sandboxChecks, sandboxContract } from './sandbox.ts';

sandboxContract('a backend that keeps every rule', () => fakeSandbox());

const FILES = 'names the files, and shows each as it is';
const INVALID = 'answers what it does not understand with text for the model';
const OUTSIDE = 'reaches nothing outside: no files, no environment, no network';
const SIZE = 'keeps to the size of an answer, and cuts no letter in two';
const ENDS = 'ends with the signal of its scope, and leaves the server responsive';

describe('the sandbox kit fails on a backend that', () => {
  const faults: readonly [SandboxFault, string][] = [
    ['says no usage', 'says what it is, and to the model how it is used'],
    ['lists half of the files', FILES],
    ['changes the text', FILES],
    ['finds what is not there', 'finds a word, and only where it stands'],
    ['keeps the files of another request', 'shows the files of this request only'],
    ['throws at what it does not know', INVALID],
    ['shows a stack', INVALID],
    ['reads the machine', OUTSIDE],
    ['tells the environment', OUTSIDE],
    ['runs a shell', OUTSIDE],
    ['keeps what was written', 'changes no file, and keeps nothing between two commands'],
    ['answers without end', SIZE],
    ['cuts letters', SIZE],
    ['ignores its signal', ENDS],
    ['blocks the server', ENDS],
    ['shares one command', 'answers many commands at once'],
  ];
  it.each(faults)('%s', async (fault, expected) => {
    const checks = sandboxChecks(() => fakeSandbox(fault)).filter(({ name }) => name === expected);
    expect(await failingChecks(checks)).toEqual([expected]);
  });
});
