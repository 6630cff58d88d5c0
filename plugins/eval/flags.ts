/** Reads the flags that name files, and tells how to go on after a stop. */
import { resolve } from 'node:path';
import type { CliRun } from '../../kernel/index.ts';

/** As shells report a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** The path that a flag gives, and as it was given. */
export function fileIn(
  { options, cwd }: CliRun,
  flag: string,
): { readonly shown: string; readonly path: string } | undefined {
  const shown = options[flag];
  return typeof shown === 'string' ? { shown, path: resolve(cwd, shown) } : undefined;
}

/** How many are asked at most. */
export const limitOf = ({ options }: Pick<CliRun, 'options'>): number | undefined =>
  options.limit === undefined ? undefined : Number(options.limit);

/** How often each case is asked. */
export const askingsOf = ({ options }: Pick<CliRun, 'options'>): number => Number(options.repeat ?? 1);

/** Tells how far the run has come; the exit code. */
export function stopped(run: CliRun, done: string): number {
  const { resume } = run.options;
  const kept = typeof resume === 'string' ? `Go on with --resume ${resume}.` : 'Give --resume <file> to keep results.';
  run.stderr.write(`Stopped after ${done}. ${kept}\n`);
  return INTERRUPTED;
}
