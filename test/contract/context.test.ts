/** The context kit passes on a plugin that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { type ContextFault, fakeContext } from '../fixtures/bad-plugins/context-fake.ts';
import { contextChecks, contextContract } from './context.ts';
import { failingChecks } from './kit.ts';

contextContract('a plugin that keeps every rule', () => fakeContext());

const PARTS = 'gives parts with title and text, whatever is asked, and leaves the question unchanged';
const SAYS = 'says what it must, and no secret';
const SIZE = 'keeps to a size, and to the room of a small model';

describe('the context kit fails on a plugin that', () => {
  const faults: readonly [ContextFault, string][] = [
    ['has no title', PARTS],
    ['says nothing', PARTS],
    ['forgets what it must say', SAYS],
    ['tells its key', SAYS],
    ['hides that it depends on the question', 'marks what depends on the question'],
    ['trusts the question', 'puts no words of the question into what is trusted'],
    ['tells the time', 'says the same within the hour, by the clock of the app'],
    ['takes all room', SIZE],
    ['forgets small models', SIZE],
    ['sends control characters', 'holds no control characters'],
    ['mixes up questions', 'answers many questions at once, each by itself'],
    ['ignores its signal', 'ends with the signal of its scope'],
    ['names its tool badly', 'describes its tools, if it has any'],
  ];
  it.each(faults)('%s', async (fault, expected) => {
    const checks = contextChecks(() => fakeContext(fault)).filter(({ name }) => name === expected);
    expect(await failingChecks(checks)).toEqual([expected]);
  });
});
