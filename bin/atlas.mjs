#!/usr/bin/env node
// Starts the command line: from the sources in a clone, from the compiled files in the packed package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

// Not SIGHUP: a handler would undo what nohup has set.
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'];
const PARENT_CHECK_MS = 250;
/** As in the script `start`, which docs/configuration.md explains. */
const OWN_NODE_ARGUMENTS = ['--max-semi-space-size=16'];
const ROOT = new URL('..', import.meta.url).href;
/** What files are by their ending, where the importing file lies in such a folder of the package. */
const FORMATS = [
  ['.ts', 'module-typescript', /^(bin|config|kernel|plugins)\//],
  ['.js', 'module', /^dist\//],
  ['.mjs', 'module', /^node_modules\//],
];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) startWithOwnNode();
else await start();

/** A clone brings the Node it needs. The channel lets the child see when this process is gone, however it ended. */
function startWithOwnNode() {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(`Atlas needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
    process.exit(1);
  }
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(own, [...OWN_NODE_ARGUMENTS, ...process.argv.slice(1)], { stdio });
  let said;
  child.on('message', (code) => {
    said = code;
  });
  stopSignal().addEventListener('abort', () => child.send('stop', () => {}));
  // A signal that comes while Node takes the child down kills it, although its work is done.
  child.on('exit', (code) => process.exit(code ?? said ?? 1));
}

/**
 * Aborts once it is time to stop. A terminal signals the whole group and npx passes the signal on, so it comes twice.
 * npx told to end by another program ends only its shell: then this process sees its parent gone.
 */
function stopSignal() {
  const stop = new AbortController();
  for (const event of [...STOP_SIGNALS, 'disconnect']) process.on(event, () => stop.abort());
  process.on('message', (message) => message === 'stop' && stop.abort());
  process.channel?.unref();
  const parent = process.ppid;
  const isOfNpm = process.env.npm_execpath !== undefined;
  if (isOfNpm) setInterval(() => process.ppid !== parent && stop.abort(), PARENT_CHECK_MS).unref();
  return stop.signal;
}

/** Ends the command where its folder was removed. */
function workingFolder() {
  try {
    return process.cwd();
  } catch {
    process.stderr.write('The working directory has been removed. Change to another folder.\n');
    process.exit(1);
  }
}

/** A relative import names its file exactly: Node would look for each on the disk, follow links and read package.json. */
function resolveOwn(specifier, context, next) {
  const { parentURL = '' } = context;
  const known = FORMATS.find(
    ([ending, , parent]) => specifier.endsWith(ending) && parent.test(parentURL.slice(ROOT.length)),
  );
  if (known === undefined || !specifier.startsWith('.') || !parentURL.startsWith(ROOT)) return next(specifier, context);
  return { url: new URL(specifier, parentURL).href, format: known[1], shortCircuit: true };
}

async function start() {
  const signal = stopSignal();
  // A reader such as `head` may leave before everything is printed; anything else that fails is an error.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
  // V8 would optimize PostgreSQL's parser, which is WebAssembly: 4,000 statements then take 640 MB and 0.26 ms of processor
  // time each, instead of 70 MB and 0.10 ms.
  v8.setFlagsFromString('--no-wasm-tier-up');
  v8.setFlagsFromString('--no-wasm-dynamic-tiering');
  // V8 would pretenure what often survives, such as requests while 16 questions run: allocate it in the old generation, to
  // which all that it refers to is then promoted. That is 0.8 to 1.1 MB at each young collection instead of 0.3 to 0.4, and
  // a question takes a seventh to a third more processor time.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
  module.enableCompileCache?.();
  module.registerHooks({ resolve: resolveOwn });
  const source = new URL('./main.ts', import.meta.url);
  const { main } = await import(existsSync(source) ? source : new URL('../dist/bin/main.js', import.meta.url));
  process.exitCode = await main(process.argv.slice(2), {
    env: process.env,
    cwd: workingFolder(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal,
  });
  if (process.connected) process.send(process.exitCode, () => {});
  // Node's own way out waits for handles, and for ever when a request was lost for want of descriptors.
  process.once('beforeExit', () => process.exit());
  // A forgotten handle must not keep a finished command alive.
  setTimeout(() => process.exit(), 1000).unref();
}
