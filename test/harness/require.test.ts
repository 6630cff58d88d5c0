import { afterEach, describe, expect, it, vi } from 'vitest';
import { suiteNeeding } from './require.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('a suite that needs something of the machine', () => {
  it('runs when it is there', () => {
    expect(suiteNeeding('mysql', true, 'Install it.')).toBe(describe);
  });

  it('is skipped without it, with a line that says what to install', () => {
    vi.stubEnv('ATLAS_TEST_REQUIRE', 'postgres');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(suiteNeeding('mysql', false, 'Install it.')).not.toBe(describe);
    expect(write).toHaveBeenCalledWith('Skipped: tests that need mysql. Install it.\n');
  });

  it('fails without it where it is required', () => {
    vi.stubEnv('ATLAS_TEST_REQUIRE', 'postgres, mysql');
    expect(() => suiteNeeding('mysql', false, 'Install it.')).toThrow(
      'need mysql, which is not installed: Install it.',
    );
  });
});
