import { expect, it } from 'vitest';
import { loginWarnings } from './privileges.ts';

const warningsOf = (...lines: string[]) => loginWarnings(async () => lines.map((line) => [line]));

it('has nothing to say of a login that reads', async () => {
  const lines = [
    'GRANT SELECT(a, b), SHOW TABLES, dictGet ON shop.* TO reader',
    'GRANT CREATE TEMPORARY TABLE ON *.* TO reader',
  ];
  expect(await warningsOf(...lines, 'GRANT REMOTE, CLUSTER ON *.* TO reader')).toEqual([]);
  expect(await warningsOf()).toEqual([]);
});

it('says how each right is taken away', async () => {
  expect(await warningsOf('GRANT SELECT, INSERT(a), URL ON shop.`my orders` TO `a reader` WITH GRANT OPTION')).toEqual([
    'the login `a reader` has INSERT on shop.`my orders`; leave it only reading: REVOKE INSERT ON shop.`my orders` FROM `a reader`;',
    'the login `a reader` has URL on shop.`my orders`; leave it only reading: REVOKE URL ON shop.`my orders` FROM `a reader`;',
  ]);
});

it('says once of a login with many rights how to make another', async () => {
  const found = await warningsOf('GRANT SELECT, INSERT, ALTER, DROP ON *.* TO ada', 'GRANT S3 ON * TO ada');
  expect(found).toEqual([
    expect.stringMatching(
      /^the login ada may do more than read, such as INSERT on \*\.\*, ALTER on \*\.\*, DROP on \*\.\*; make one/,
    ),
  ]);
});
