/** The deliver kit passes on a plugin that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { type DeliverFault, fakeDelivery } from '../fixtures/bad-plugins/deliver-fake.ts';
import { deliverChecks, deliverContract } from './deliver.ts';
import { failingChecks } from './kit.ts';

deliverContract('a plugin that keeps every rule', () => fakeDelivery());

const SENDS = 'sends a report in one try, and says so';
const ONCE = 'tries once, and calls a failure that passes not final';
const FINAL = 'calls a refusal final';
const SECRET = 'tells no secret';

describe('the deliver kit fails on a plugin that', () => {
  const faults: readonly [DeliverFault, readonly string[]][] = [
    ['sends twice', [SENDS]],
    ['forgets the rows', [SENDS]],
    ['sends when it shows', ['shows what it would send, and sends nothing']],
    ['sends all rows', ['sends at most fifty rows of a dataset', 'sends nothing to a recipient that is not valid']],
    ['tries again by itself', [ONCE]],
    ['calls all failures final', [ONCE]],
    ['calls no failure final', [FINAL]],
    ['throws anything', [ONCE, FINAL, SECRET]],
    ['sends to anybody', ['sends nothing to a recipient that is not valid']],
    ['ignores its signal', ['ends with the signal of its scope']],
    ['tells its token', [SECRET]],
  ];
  it.each(faults)('%s', async (fault, expected) => {
    expect(await failingChecks(deliverChecks(() => fakeDelivery(fault)))).toEqual(expected);
  });
});
