/** Reads the flags that name files, and tells how to go on after a stop. */
import { resolve } from 'node:path';
import type { CliRun } from '../../kernel/index.ts';
import { wrongUse } from './selection.ts';

/** As shells report a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Standard output carries one form of the results. */
export function checkOutput({ options }: CliRun): void {
  if (options.json === true && options.csv === true) {
    throw wrongUse('--json and --csv exclude each other.', 'Give one of them.');
  }
}

/** The path that a flag gives, and as it was given. */
export function fileIn(
  { options, cwd }: CliRun,
  flag: string,
): { readonly shown: string; readonly path: string } | undefined {
  const shown = options[flag];
  return typeof shown === 'string' ? { shown, path: resolve(cwd, shown) } : undefined;
}

/** Tells how far the run has come; the exit code. */
export function stopped(run: CliRun, done: string): number {
  const { resume } = run.options;
  const kept = typeof resume === 'string' ? `Go on with --resume ${resume}.` : 'Give --resume <file> to keep results.';
  run.stderr.write(`Stopped after ${done}. ${kept}\n`);
  return INTERRUPTED;
}
