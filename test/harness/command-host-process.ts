/** The process of `commandHost`: runs each command as `bin/atlas.mjs` does, in its folder and with its environment. */
import { createServer } from 'node:http';
import { enableCompileCache } from 'node:module';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Finished } from './command.ts';
import type { HostedCommand } from './command-host.ts';

enableCompileCache();
// A command leaves its listeners behind, as it usually ends with its process.
process.setMaxListeners(0);
const { main } = await import('../../bin/main.ts');

async function run({ args, cwd, env }: HostedCommand): Promise<Finished> {
  process.chdir(cwd);
  // Programs that a command starts have its environment.
  process.env = { ...env };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await main(args, { env: process.env, cwd, stdout, stderr, signal: new AbortController().signal });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

let last: Promise<unknown> = Promise.resolve();
/** One at a time: folder and environment are those of the process. */
function next(command: HostedCommand): Promise<Finished> {
  const finished = last.then(() => run(command));
  last = finished.catch(() => {});
  return finished;
}

/** What a program sends: its variables, an empty text, its folder, and its arguments, each with a NUL behind it. */
function programCommand(sent: string): HostedCommand {
  const end = sent.indexOf('\0\0');
  const [cwd = '', ...args] = sent.slice(end + 2, -1).split('\0');
  const pairs = sent
    .slice(0, end)
    .split('\0')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return { args, cwd, env: Object.fromEntries(pairs) };
}

const server = createServer(async (request, response) => {
  const sent = await text(request);
  if (request.url === '/command') {
    response.end(JSON.stringify(await next(JSON.parse(sent))));
    return;
  }
  const { code, stdout, stderr } = await next(programCommand(sent));
  response.writeHead(code === 0 ? 200 : 500).end(code === 0 ? stdout : stdout + stderr);
});
server.requestTimeout = 0;
server.listen(process.argv[2], () => process.send?.('ready'));
process.on('disconnect', () => process.exit());
