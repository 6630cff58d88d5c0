/** The datasource kit passes on a datasource that keeps every rule and fails on one that breaks one. */
import { describe, expect, it } from 'vitest';
import { type DatasourceFault, fakeDatasource } from '../fixtures/bad-plugins/datasource-fake.ts';
import { datasourceChecks, datasourceContract } from './datasource.ts';
import { failingChecks } from './kit.ts';

datasourceContract('fake', () => fakeDatasource());

describe('the datasource kit fails on a datasource that', () => {
  const cases: [DatasourceFault, string][] = [
    ['ignores-abort', 'stops a statement when it is cancelled, while others go on'],
    ['ignores-timeout', 'stops a statement at its timeout'],
    ['works-on-after-abort', 'stops a statement when it is cancelled, while others go on'],
    ['lies-about-truncated', 'says truncated exactly when there are more rows'],
    ['loses-a-column', 'keeps both of two columns with one name'],
    ['rounds-integers', 'maps values: safe integers and reals to numbers, larger integers to text, binary to base64'],
    ['ignores-bytes', 'keeps to the byte limit and says so'],
    ['writes', 'changes nothing, whatever it is asked'],
    ['runs-unchecked', 'refuses a statement that was not checked'],
    ['leaks-secret', 'says what the engine does not accept, and goes on'],
    ['quotes-data', 'says nothing of the values at which a statement fails'],
    ['reads-null-bytes', 'refuses a null byte'],
    ['takes-it-whole', 'stops at the limit of ten million rows, in bounded memory'],
    ['unbounded-queue', 'refuses what does not fit the queue, with the time to come back'],
    ['unfair-queue', 'serves those who wait in their order'],
    ['health-waits', 'reports health at once, with latency, while a statement runs'],
    ['gives-arrays', 'gives rows in order, by column name'],
    ['gives-text-only', 'gives rows in order, by column name'],
    ['repeats-rows', 'gives rows in order, by column name'],
    ['forgets-order', 'gives rows in order, by column name'],
    ['swallows-errors', 'says what the engine does not accept, and goes on'],
    ['ignores-rows', 'says truncated exactly when there are more rows'],
    ['describes-what-it-cannot-read', 'can read every table that it describes, with the columns that it names'],
    ['describes-other-columns', 'can read every table that it describes, with the columns that it names'],
    ['describes-twice', 'can read every table that it describes, with the columns that it names'],
    ['leaks-connections', 'leaves nothing open behind a statement'],
  ];
  it.concurrent.each(cases)('%s', { timeout: 60_000 }, async (fault, expected) => {
    const checks = datasourceChecks(() => fakeDatasource(fault)).filter(({ name }) => name === expected);
    expect(await failingChecks(checks)).toEqual([expected]);
  });
});
