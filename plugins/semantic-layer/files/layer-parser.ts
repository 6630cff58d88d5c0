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
/** For one file, from when the thread takes it. The largest takes some 0.7 s of a processor; machines are busy, too. */
const TIMEOUT_MS = 10_000;
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

/** Parses the files of one owner. */
export class LayerParser {
  readonly #thread: ParserThread;
  readonly #owner: string | null;

  /** `owner`: the organization that the files are of; `null`: none. */
  constructor(thread = new ParserThread(), owner: string | null = null) {
    this.#thread = thread;
    this.#owner = owner;
  }

  parse(found: Place & { readonly path: string }, text: string): Awaitable<LayerFile> {
    if (text.length <= MAX_INLINE) return parseLayerFile(found, text);
    const { path, kind, source } = found;
    return this.#thread
      .run(this.#owner, 'parse', { found: { path, kind, source }, text })
      .then(freezeItems, (error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
        const problems = [{ file: path, line: 1, column: 1, message: TOO_LARGE }];
        return { path, kind, source, hash: hashOf(text), items: [], problems };
      });
  }

  /** Where the values stand in a text that can be parsed. */
  positions(text: string, paths: readonly Path[]): Awaitable<readonly Position[]> {
    if (text.length <= MAX_INLINE) return positionsOf(text, paths);
    return this.#thread.run(this.#owner, 'positions', { text, paths });
  }

  /** The text of an entity with `connection` where it names none. */
  withConnection(text: string, connection: string): Awaitable<string> {
    if (text.length <= MAX_INLINE) return withConnection(text, connection);
    return this.#thread.run(this.#owner, 'withConnection', { text, connection }).catch((error: unknown) => {
      // What is wrong with it is said when it is parsed.
      if (error instanceof Stopped) return text;
      throw error;
    });
  }
}

/** Has at most one thread, which takes one file after the other, of each owner in turn. */
export class ParserThread {
  /** The owner whose turn it is comes first. */
  readonly #waiting = new Map<string | null, Waiting[]>();
  #running: Waiting | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Ends the thread; what waits for it rejects. */
  close(): void {
    this.#end(new Error('The semantic layer is closed.'));
  }

  run<Kind extends keyof Tasks>(
    owner: string | null,
    kind: Kind,
    given: Tasks[Kind]['given'],
  ): Promise<Tasks[Kind]['result']> {
    const { promise, resolve, reject } = Promise.withResolvers<Tasks[Kind]['result']>();
    const own = this.#waiting.get(owner) ?? [];
    own.push({ task: { kind, given } as Task, resolve: resolve as Waiting['resolve'], reject });
    this.#waiting.set(owner, own);
    if (this.#running === undefined) this.#next();
    return promise;
  }

  /** The next task of the owner whose turn it is; the owner is behind all others then. */
  #take(): Waiting | undefined {
    for (const [owner, own] of this.#waiting) {
      this.#waiting.delete(owner);
      if (own.length > 1) this.#waiting.set(owner, own);
      return own.shift();
    }
    return undefined;
  }

  #next(): void {
    clearTimeout(this.#timer);
    const first = this.#take();
    this.#running = first;
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
      const first = this.#running;
      if (error === undefined) first?.resolve(result);
      else first?.reject(new Error(error));
      this.#next();
    });
    worker.on('error', ended);
    worker.on('exit', ended);
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread and rejects what it is at, with `fault` also what waits. */
  #end(fault?: Error): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#running?.reject(fault ?? new Stopped());
    this.#running = undefined;
    if (fault !== undefined) {
      for (const { reject } of [...this.#waiting.values()].flat()) reject(fault);
      this.#waiting.clear();
    }
    if (this.#waiting.size > 0) this.#next();
  }
}

/** The thread took too long, or ended for want of memory. */
class Stopped extends Error {}
