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
/**
 * For glibc, which reads it when a process begins: blocks from this size on go back to the system when they are freed.
 * The compilers of V8 would otherwise leave the server with about 17 MB of unused memory.
 */
const MALLOC_VARIABLE = 'MALLOC_MMAP_THRESHOLD_';
const environment = { [MALLOC_VARIABLE]: '16384', ...process.env };

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) startWithOwnNode();
else {
  if (process.argv[2] === 'serve') beginAgain();
  await start();
}

/** Replaces the program by itself in `environment`; the process keeps its id. Nothing of ours is loaded by then. */
function beginAgain() {
  if (process.platform !== 'linux' || process.execve === undefined || MALLOC_VARIABLE in process.env) return;
  // What speaks to this process over a channel of Node's would not find it again.
  if (process.connected) return;
  const node = process.execPath;
  process.execve(node, [node, ...process.execArgv, ...process.argv.slice(1)], environment);
}

/** A clone brings the Node it needs. The channel lets the child see when this process is gone, however it ended. */
function startWithOwnNode() {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(`Atlas needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
    process.exit(1);
  }
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(own, process.argv.slice(1), { stdio, env: environment });
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

async function start() {
  const signal = stopSignal();
  // A reader such as `head` may leave before everything is printed; anything else that fails is an error.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
  // Loading the modules would let it grow to 64 MB; `heap-limits.ts` lets it grow as far as questions need.
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // Optimizing PostgreSQL's parser, which is WebAssembly, would take 500 MB for seconds and make it no faster.
  v8.setFlagsFromString('--no-wasm-tier-up');
  v8.setFlagsFromString('--no-wasm-dynamic-tiering');
  module.enableCompileCache?.();
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
