#!/usr/bin/env node
// Starts the command line: from the sources in a clone, from the compiled files in the packed package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) await start();
else startWithOwnNode();

/** A clone brings the Node it needs. */
function startWithOwnNode() {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(`Atlas needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
    process.exit(1);
  }
  const child = spawn(own, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

async function start() {
  module.enableCompileCache?.();
  const source = new URL('../config/cli.ts', import.meta.url);
  const { main } = await import(existsSync(source) ? source : new URL('../dist/config/cli.js', import.meta.url));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  process.exitCode = await main(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stop.signal,
  }).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    return 1;
  });
  // A handle that somebody forgot must not keep a finished command alive.
  setTimeout(() => process.exit(), 1000).unref();
}
