/** The interaction kit passes on a plugin that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { fakeInteraction, type InteractionFault } from '../fixtures/bad-plugins/interaction-fake.ts';
import { interactionChecks, interactionContract } from './interaction.ts';
import { failingChecks } from './kit.ts';

interactionContract('a plugin that keeps every rule', () => fakeInteraction());

const DECLARES = 'declares its routes, with right and schemas';

describe('the interaction kit fails on a plugin that', () => {
  const faults: readonly [InteractionFault, string][] = [
    ['has no routes', DECLARES],
    ['is open to everybody', DECLARES],
    ['is open to everybody', 'refuses those who lack the right'],
    ['says nothing of itself', DECLARES],
    ['answers in another way', 'answers its requests'],
    ['takes anything', 'refuses requests that are not valid'],
    ['asks as itself', 'asks the agent as the user who sent the request'],
    ['tells what went wrong', 'says nothing of what went wrong inside'],
    ['answers one at a time', 'answers many requests at once'],
  ];
  it.each(faults)('%s', async (fault, expected) => {
    const checks = interactionChecks(() => fakeInteraction(fault)).filter(({ name }) => name === expected);
    expect(await failingChecks(checks)).toEqual([expected]);
  });
});
