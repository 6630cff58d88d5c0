/** Runs one export: the statement through the pipeline of all statements, its rows into a file, and the file to its place. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AtlasError, messagesOf, type PluginContext } from '../../kernel/index.ts';
import { type Cell, policyOf, type RowSink, rowSinks, wereHandedOn } from '../datasource-kit/index.ts';
import type { Job } from '../jobs/index.ts';
import { csvFile } from './csv-file.ts';
import type { RowFile } from './file.ts';
import type { ExportsOptions } from './options.ts';
import type { Owners } from './owner.ts';
import { notWritten, parquetFile } from './parquet-file.ts';
import type { Storage } from './storage.ts';
import type { ExportRow, ExportStore, Format } from './store.ts';

export const EXPORT_JOB = 'export';
export const SURFACE = 'export';

/** How often progress is stored, the disk is looked at, and a deletion is noticed. */
const PROGRESS_MS = 2_000;
/** For what follows the statement: the rest of the file, and its way to the storage. */
const FINISHING_MS = 3_600_000;
/** What passes by itself; anything else would fail again. */
const PASSING = new Set(['overloaded', 'unavailable', 'datasource_unavailable']);

const FILES: Readonly<Record<Format, (path: string, limits: RowSink['limits']) => RowFile>> = {
  parquet: parquetFile,
  csv: csvFile,
};

export interface ExportJobInit {
  readonly ctx: Pick<PluginContext, 'runSql' | 'scope' | 'log'>;
  readonly options: ExportsOptions;
  readonly store: ExportStore;
  readonly storage: Storage;
  readonly owners: Owners;
}

export const exportJobOptions = ({ concurrency, timeoutMs }: ExportsOptions) => ({
  concurrency,
  attempts: 3,
  deadlineMs: timeoutMs + FINISHING_MS,
});

class Deleted extends Error {}

export function exportJob(init: ExportJobInit) {
  const { store, storage, ctx } = init;
  return async (job: Job<{ readonly id: string }>): Promise<void> => {
    const { id } = job.payload;
    const run = randomBytes(8).toString('hex');
    const row = await store.begin(id, run);
    if (row === undefined) return;
    try {
      await mkdir(storage.workDir, { recursive: true, mode: 0o700 });
      // What a server has left that died in the middle.
      await removePartials(storage.workDir, id);
      const { file, ...ended } = await new RunningExport(init, row, run).perform(job.scope.signal);
      const isOurs = await store.end(id, run, { ...ended, file, status: 'finished' });
      if (!isOurs) await storage.remove(file);
    } catch (error) {
      if (error instanceof Deleted) return;
      // The job is run again from its beginning: by another server, or after the next start.
      if (job.scope.signal.aborted && !job.isLast) throw error;
      const isKnown = error instanceof AtlasError;
      if (isKnown && PASSING.has(error.code) && !job.isLast) throw error;
      if (!isKnown || error.cause !== undefined)
        ctx.log.error({ exportId: id, error: messagesOf(error) }, 'An export failed.');
      const message = isKnown
        ? [error.message, error.hint].filter(Boolean).join(' ')
        : 'Something went wrong; export again.';
      await store.end(id, run, { status: 'failed', error: message.slice(0, 2_000) });
    }
  };
}

async function removePartials(dir: string, id: string): Promise<void> {
  const parts = (await readdir(dir)).filter((name) => name.startsWith(id) && name.includes('.partial'));
  for (const name of parts) await rm(join(dir, name), { force: true });
}

type Ended = Pick<ExportRow, 'row_count' | 'size_bytes' | 'policy'> & { readonly file: string };

class RunningExport implements RowSink {
  readonly limits: RowSink['limits'];
  readonly #init: ExportJobInit;
  readonly #row: ExportRow;
  readonly #run: string;
  readonly #path: string;
  readonly #file: RowFile;
  readonly #stop = new AbortController();
  #beginning: Promise<void> | undefined;
  #rows = 0;

  constructor(init: ExportJobInit, row: ExportRow, run: string) {
    const { maxRows, maxBytes, maxCellBytes, timeoutMs } = init.options;
    this.limits = { maxRows, maxBytes, maxCellBytes, timeoutMs };
    this.#init = init;
    this.#row = row;
    this.#run = run;
    this.#path = join(init.storage.workDir, `${row.id}-${run}.partial`);
    this.#file = FILES[row.format](this.#path, this.limits);
  }

  begin(...[columns, types]: Parameters<RowSink['begin']>): void {
    const beginning = this.#file.begin(columns, types);
    this.#beginning = beginning;
    beginning.then(
      () => this.#begun(),
      () => {},
    );
  }

  #begun(): void {
    this.#beginning = undefined;
  }

  write(rows: readonly Cell[][]): Promise<void> | undefined {
    this.#stop.signal.throwIfAborted();
    const taken =
      this.#beginning === undefined ? this.#file.write(rows) : this.#beginning.then(() => this.#file.write(rows));
    this.#rows += rows.length;
    return taken && this.#unlessStopped(taken);
  }

  async #unlessStopped(work: Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    const stopped = Promise.withResolvers<never>();
    const onStop = () => stopped.reject(signal.reason);
    signal.addEventListener('abort', onStop, { once: true });
    try {
      await Promise.race([work, stopped.promise]);
    } finally {
      signal.removeEventListener('abort', onStop);
    }
  }

  async perform(jobSignal: AbortSignal): Promise<Ended> {
    const { ctx, storage, owners } = this.#init;
    const { id, sql, connection_id: connectionId, conversation_id: conversationId, format } = this.#row;
    const { signal } = this.#stop;
    const onAbort = () => this.#stop.abort(jobSignal.reason);
    if (jobSignal.aborted) onAbort();
    jobSignal.addEventListener('abort', onAbort, { once: true });
    const timer = setInterval(() => void this.#look(), PROGRESS_MS);
    try {
      await this.#checkDisk();
      const scope = ctx.scope({ ...(await owners.identityOf(this.#row)), signal });
      rowSinks.set(scope, this);
      const request = { sql, connectionId, surface: SURFACE, ...(conversationId !== null && { conversationId }) };
      const { statement, result } = await ctx.runSql(request, scope);
      if (!wereHandedOn(result)) throw notHandedOn();
      await this.#beginning;
      await this.#file.end();
      signal.throwIfAborted();
      const { size } = await stat(this.#path);
      if (size > this.limits.maxBytes) throw tooLarge(this.limits.maxBytes);
      const file = `${id}-${randomBytes(24).toString('hex')}.${format}`;
      await storage.keep(this.#path, file, signal);
      return { file, row_count: this.#rows, size_bytes: size, policy: policyOf(statement) };
    } catch (error) {
      // What is said first: a driver may make another error of it.
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearInterval(timer);
      jobSignal.removeEventListener('abort', onAbort);
      this.#stop.abort(new Error('It is over.'));
      await this.#file.abort();
      await rm(this.#path, { force: true });
    }
  }

  /** Stores how far it is. Stops it when the export is another run's, or deleted, and when the disk is full. */
  async #look(): Promise<void> {
    const { store } = this.#init;
    try {
      await this.#checkDisk();
      const size = await this.#written();
      if (size > this.limits.maxBytes) throw tooLarge(this.limits.maxBytes);
      const isOurs = await store.update(this.#row.id, this.#run, { row_count: this.#rows, size_bytes: size });
      if (!isOurs) throw new Deleted();
    } catch (error) {
      // While the internal database is away, the rows go on.
      if (!(error instanceof AtlasError) || !PASSING.has(error.code)) this.#stop.abort(error);
    }
  }

  async #written(): Promise<number> {
    const sizes = await Promise.all(
      [this.#path, `${this.#path}.raw`].map(async (path) => (await stat(path).catch(() => undefined))?.size ?? 0),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async #checkDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#init.storage.workDir);
    if (bavail * bsize < this.#init.options.minFreeBytes) throw diskFull();
  }
}

const notHandedOn = () =>
  new AtlasError('This connection cannot be exported: its rows cannot be handed on while they are read.', {
    code: 'not_available',
    reason: 'E_ROWS_NOT_HANDED_ON',
    hint: 'Ask for fewer rows, which come as an answer.',
  });

const tooLarge = (maxBytes: number) =>
  new AtlasError(`The file is larger than ${maxBytes} bytes.`, {
    code: 'sql_failed',
    reason: 'E_EXPORT_SIZE',
    hint: 'Select fewer rows or columns.',
  });

const diskFull = () => {
  const { message, reason } = notWritten('the disk is nearly full');
  return new AtlasError(message, { code: 'not_available', reason, hint: 'Ask an administrator for more space.' });
};
