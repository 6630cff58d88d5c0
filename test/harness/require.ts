import { describe } from 'vitest';

/**
 * What a suite needs of the machine and the packages do not bring. Missing, the suite is skipped with a line that says
 * what to install; named in `ATLAS_TEST_REQUIRE` (`mysql,browser`) it must be there, and the suite fails instead.
 */
export function suiteNeeding(name: string, found: boolean, install: string): typeof describe.skip {
  if (found) return describe;
  const required = (process.env.ATLAS_TEST_REQUIRE ?? '').split(',').map((item) => item.trim());
  if (required.includes(name)) throw new Error(`These tests need ${name}, which is not installed: ${install}`);
  process.stderr.write(`Skipped: tests that need ${name}. ${install}\n`);
  return describe.skip;
}
