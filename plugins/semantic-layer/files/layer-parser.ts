/** Parses files of a layer: a few short ones itself, all others in a worker thread, so that other requests do not wait. */
import { setImmediate } from 'node:timers/promises';
import type { Tinypool } from 'tinypool';
import type { Awaitable } from '../../../kernel/index.ts';
import { CACHED_SOURCES, moduleBeside } from '../../datasource-kit/index.ts';
import { freezeItems, hashOf, type LayerFile } from './layer-file.ts';
import * as tasks from './parser-tasks.ts';
import type { Position } from './yaml.ts';

/** Characters of a file that take some milliseconds, and of the files together that are worth no thread. */
const MAX_INLINE_FILE = 8_192;
const MAX_INLINE = 128 * 1024;
/** Short files that the thread is given at once. */
const MAX_BATCH = 32;
/** For one file. The largest takes some 0.7 s of a processor; machines are busy, too. */
const TIMEOUT_MS = 10_000;
/** The thread ends once it has had nothing to do for this long. */
const IDLE_MS = 2_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 };
const TOO_LARGE = 'The file takes too much time or memory to be read; split it.';
const TASKS = moduleBeside('parser-tasks', import.meta.url);

export class LayerParser {
  #pool: Promise<Tinypool> | undefined;
  /** One task runs at a time, so that the time for it begins with it. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** The files are read from `files` as they are needed. */
  async parse(files: Iterable<tasks.PlacedText>): Promise<LayerFile[]> {
    const parsed = await this.#run(tasks.parse, files, ({ path, kind, source, text }): LayerFile => {
      const problems = [{ file: path, line: 1, column: 1, message: TOO_LARGE }];
      return { path, kind, source, hash: hashOf(text), items: [], problems };
    });
    return parsed.map(freezeItems);
  }

  /** Where the values at `paths` stand in each text. */
  positions(files: Iterable<tasks.LocatedText>): Promise<Position[][]> {
    return this.#run(tasks.positions, files, () => []);
  }

  /** The texts of entities with `connection` where they name none. */
  withConnections(files: Iterable<tasks.EntityText>): Promise<string[]> {
    // What is wrong with a text is said when it is parsed.
    return this.#run(tasks.withConnections, files, ({ text }) => text);
  }

  /** Ends the thread; what waits for it rejects. */
  close(): void {
    this.#isClosed = true;
    this.#pool?.then((pool) => pool.destroy()).catch(() => undefined);
  }

  /** `instead`: the result for a text that takes too much time or memory. */
  async #run<Given extends { readonly text: string }, Result>(
    task: (batch: readonly Given[]) => Result[],
    given: Iterable<Given>,
    instead: (given: Given) => Result,
  ): Promise<Result[]> {
    const inThread = (some: readonly Given[]) => this.#inThread<Result>(task.name, some);
    const results: Result[] = [];
    let inlineLeft = MAX_INLINE;
    let batch: Given[] = [];
    const run = async (
      some: readonly Given[],
      task: (some: readonly Given[]) => Awaitable<Result[]>,
    ): Promise<void> => {
      try {
        results.push(...(await task(some)));
      } catch {
        if (this.#isClosed) throw closed();
        if (some.length === 1) results.push(...some.map(instead));
        else for (const one of some) await run([one], task);
      }
    };
    const runBatch = async () => {
      if (batch.length > 0) await run(batch, inThread);
      batch = [];
    };
    for (const one of given) {
      const { length } = one.text;
      const isShort = length <= MAX_INLINE_FILE;
      if (isShort && length <= inlineLeft && batch.length === 0) {
        inlineLeft -= length;
        await run([one], task);
        await setImmediate();
        continue;
      }
      // A long one goes alone, so that what is wrong with it costs no other.
      if (!isShort) await runBatch();
      batch.push(one);
      if (!isShort || batch.length === MAX_BATCH) await runBatch();
    }
    await runBatch();
    return results;
  }

  #inThread<Result>(name: string, batch: readonly unknown[]): Promise<Result[]> {
    const result = this.#last.then(async () => {
      if (this.#isClosed) throw closed();
      this.#pool ??= startPool();
      const pool = await this.#pool.catch((error: unknown) => {
        // The next task tries again.
        this.#pool = undefined;
        throw error;
      });
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
      try {
        return await pool.run(batch, { name, signal: timeout.signal });
      } finally {
        clearTimeout(timer);
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

async function startPool(): Promise<Tinypool> {
  const { Tinypool } = await import('tinypool');
  const pool = new Tinypool({
    filename: TASKS.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: MEMORY,
    execArgv: [],
    env: { ...process.env, ...CACHED_SOURCES } as Record<string, string>,
  });
  // A thread that ends without a task: the next one starts another. Unheard, it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

const closed = () => new Error('The semantic layer is closed.');
