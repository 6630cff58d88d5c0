import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems give ports from 32768 on to connections and to servers that ask for any: one from below stays free. */
const [FIRST, END] = [20_000, 32_768];
const ATTEMPTS = 100;

/** Finds a free port of the loopback interface, which no other process gets by chance before it is used. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${ATTEMPTS} ports was free.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
