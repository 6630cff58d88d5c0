/** Runs the command line in the process of the test: faster than a process of its own, where signals and exits are not looked at. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../bin/main.ts';
import { type CommandOptions, type Finished, PROGRESS } from './command.ts';

export async function atlasHere(
  args: readonly string[],
  { cwd, env = {}, signal = new AbortController().signal }: CommandOptions & { readonly signal?: AbortSignal },
): Promise<Finished> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const before = process.cwd();
  // Relative URLs are below the folder of the process.
  process.chdir(cwd);
  const code = await main(args, { env: { NO_COLOR: '1', ...env }, cwd, stdout, stderr, signal }).finally(() =>
    process.chdir(before),
  );
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err.replaceAll(PROGRESS, '') };
}
