/** Parses files of a layer: short ones at once, long ones in a thread, so that other requests do not wait for them. */
import { Worker } from 'node:worker_threads';
import type { Awaitable } from '../../../kernel/index.ts';
import { CACHED_SOURCES, moduleBeside } from '../../datasource-kit/index.ts';
import { freezeItems, hashOf, type LayerFile, parseLayerFile } from './layer-file.ts';
import type { Answer, Task, Tasks } from './parser-tasks.ts';
import type { Place } from './places.ts';
import { type Path, type Position, positionsOf, withConnection } from './yaml.ts';

/** Characters that take some milliseconds. */
const MAX_INLINE = 8_192;
/** For one file, on a busy machine. */
const TIMEOUT_MS = 60_000;
/** The thread ends once it has had nothing to do for this long. */
const IDLE_MS = 2_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 };
const TOO_LARGE = 'The file takes too much time or memory to be read; split it.';

const THREAD = moduleBeside('parser-thread', import.meta.url);

interface Waiting {
  readonly task: Task;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Has at most one thread, which takes one file after the other. */
export class LayerParser {
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  parse(found: Place & { readonly path: string }, text: string): Awaitable<LayerFile> {
    if (text.length <= MAX_INLINE) return parseLayerFile(found, text);
    const { path, kind, source } = found;
    return this.#run('parse', { found: { path, kind, source }, text }).then(freezeItems, (error: unknown) => {
      if (!(error instanceof Stopped)) throw error;
      const problems = [{ file: path, line: 1, column: 1, message: TOO_LARGE }];
      return { path, kind, source, hash: hashOf(text), items: [], problems };
    });
  }

  /** Where the values stand in a text that can be parsed. */
  positions(text: string, paths: readonly Path[]): Awaitable<readonly Position[]> {
    if (text.length <= MAX_INLINE) return positionsOf(text, paths);
    return this.#run('positions', { text, paths });
  }

  /** The text of an entity with `connection` where it names none. */
  withConnection(text: string, connection: string): Awaitable<string> {
    if (text.length <= MAX_INLINE) return withConnection(text, connection);
    return this.#run('withConnection', { text, connection }).catch((error: unknown) => {
      // What is wrong with it is said when it is parsed.
      if (error instanceof Stopped) return text;
      throw error;
    });
  }

  /** Ends the thread; what waits for it rejects. */
  close(): void {
    this.#end(new Error('The semantic layer is closed.'));
  }

  #run<Kind extends keyof Tasks>(kind: Kind, given: Tasks[Kind]['given']): Promise<Tasks[Kind]['result']> {
    const { promise, resolve, reject } = Promise.withResolvers<Tasks[Kind]['result']>();
    this.#waiting.push({ task: { kind, given } as Task, resolve: resolve as Waiting['resolve'], reject });
    if (this.#waiting.length === 1) this.#next();
    return promise;
  }

  #next(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    const worker = this.#worker ?? this.#start();
    worker.ref();
    worker.postMessage(first.task);
    this.#timer = setTimeout(() => this.#end(), TIMEOUT_MS);
  }

  #start(): Worker {
    const env = { ...process.env, ...CACHED_SOURCES };
    const worker = new Worker(THREAD, { execArgv: [], env, resourceLimits: MEMORY });
    const ended = () => {
      if (this.#worker === worker) this.#end();
    };
    worker.on('message', ({ result, error }: Answer) => {
      if (this.#worker !== worker) return;
      const first = this.#waiting.shift();
      if (error === undefined) first?.resolve(result);
      else first?.reject(new Error(error));
      this.#next();
    });
    worker.on('error', ended);
    worker.on('exit', ended);
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread and rejects what it was at, with `fault` also what waits. */
  #end(fault?: Error): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    const ended = this.#waiting.splice(0, fault === undefined ? 1 : this.#waiting.length);
    for (const { reject } of ended) reject(fault ?? new Stopped());
    if (this.#waiting.length > 0) this.#next();
  }
}

/** The thread took too long, or ended for want of memory. */
class Stopped extends Error {}
