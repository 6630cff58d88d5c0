/** What a command line runs in. */
import type { CliRun } from '../../kernel/index.ts';

export type Terminal = Omit<CliRun, 'args' | 'options'>;
