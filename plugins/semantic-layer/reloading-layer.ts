/** Keeps the semantic layer of a running service up to date and pins each request to one version of it. */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AtlasError, withTimeout } from '../../kernel/index.ts';
import type { TriedLayer } from './api.ts';
import { createModel } from './build/build-model.ts';
import { type ContextOptions, ContextWriter, type Explanation, type LayerContext } from './context/context-writer.ts';
import { type ExploredLayer, explore, visibleFiles } from './context/explore.ts';
import { LayerSearch } from './context/search.ts';
import type { DatabaseSchemas } from './database/database-schema.ts';
import { measuredTables } from './facts/measured-tables.ts';
import { LayerParser } from './files/layer-parser.ts';
import { type LeftBehind, leftBehind } from './files/left-behind.ts';
import { ORGANIZATION_ID, ORGANIZATIONS_FOLDER } from './files/places.ts';
import { deleteFolder, mendImports } from './files/replace.ts';
import type { MeasuredTable, VisibleFile } from './hooks.ts';
import { ImportQueue } from './import-queue.ts';
import { KnownOrganizations } from './known-organizations.ts';
import { type LayerFiles, readFile } from './layer-files.ts';
import {
  copyLayer,
  type ImportedFile,
  type ImportOptions,
  type ImportResult,
  importFiles,
  stage,
} from './layer-import.ts';
import type { SemanticModel } from './model.ts';
import { invalidOrganization, layerRemoved } from './organization-errors.ts';
import { ReloadingFolder, type ReloadingLayerOptions } from './reloading-folder.ts';

/** The part of a request's scope that its model is pinned to. */
export interface RequestScope {
  readonly orgId: string | null;
  readonly parent?: RequestScope | undefined;
}

/** How long a request waits for the first description of the databases. */
const SCHEMA_TIMEOUT_MS = 3_000;
const MAX_ORGANIZATIONS = 64;
const EMPTY_PARTS = { entities: [], metrics: [], glossary: [], catalog: undefined };

export class ReloadingLayer {
  readonly #options: ReloadingLayerOptions;
  readonly #closing = new AbortController();
  readonly #parser = new LayerParser();
  readonly #default: ReloadingFolder;
  readonly #organizations = new Map<string, ReloadingFolder>();
  readonly #pins = new WeakMap<RequestScope, Promise<SemanticModel>>();
  readonly #folders = new WeakMap<SemanticModel, ReloadingFolder>();
  readonly #visible = new WeakMap<SemanticModel, readonly VisibleFile[]>();
  readonly #known: KnownOrganizations;
  readonly #imports = new ImportQueue();
  #watching: NodeJS.Timeout | undefined;
  readonly #empty = createModel(EMPTY_PARTS, 0, []);

  constructor(options: ReloadingLayerOptions) {
    this.#options = options;
    this.#known = options.known ?? new KnownOrganizations();
    this.#default = this.#newFolder(options.dir, null);
    mendImports(options.dir);
    this.#recordOrganizations();
  }

  /** Loads the default layer; settles once it has been loaded. */
  async ready(): Promise<void> {
    if (!this.isSettled) await this.modelFor(null);
  }

  /** Whether the default layer is loaded and the databases have been read. */
  get isSettled(): boolean {
    return this.isLoaded && this.#default.schemas?.wasRead !== false;
  }

  /** Starts checking the default layer and the databases for changes without requests. */
  watch(): void {
    const { watchIntervalMs = 0 } = this.#options;
    if (watchIntervalMs === 0) return;
    const check = async () => {
      const { summary } = await this.modelFor(null);
      await this.#default.schemas?.refresh(summary === undefined);
      await this.#default.latest();
      this.#recordOrganizations();
      await this.#known.save();
    };
    // An error here comes from closing; the next request sees any other.
    this.#watching = setInterval(() => void check().catch(() => undefined), watchIntervalMs).unref();
  }

  get isLoaded(): boolean {
    return this.#default.current !== undefined;
  }

  /** Number of entities of the default layer; of entity files while it is being loaded. */
  get entityCount(): number {
    return this.#default.current?.entities.length ?? this.#default.loader.entityFileCount;
  }

  /** The default layer as last loaded; an empty model of version 0 before that. */
  current(): SemanticModel {
    return this.#default.current ?? this.#empty;
  }

  /** The model for one request: the same for every call with its scope or a part of it. */
  for(scope: RequestScope): Promise<SemanticModel> {
    for (let at: RequestScope | undefined = scope; at !== undefined; at = at.parent) {
      const pinned = this.#pins.get(at);
      if (pinned !== undefined) return pinned;
    }
    const model = this.modelFor(scope.orgId);
    this.#pins.set(scope, model);
    return model;
  }

  /** See `SemanticLayerApi.tryOut`. */
  async tryOut(orgId: string | null, files: readonly ImportedFile[]): Promise<TriedLayer> {
    const own = this.#folders.get(await this.modelFor(orgId)) ?? this.#default;
    const dir = await mkdtemp(join(tmpdir(), 'atlas-layer-'));
    const remove = () => rm(dir, { recursive: true, force: true });
    try {
      await copyLayer(own.loader.root, dir);
      for (const file of files) await stage(dir, file);
      const known = own.loader.writtenFiles;
      const folder = new ReloadingFolder(dir, orgId, this.#options, {
        signal: this.#closing.signal,
        parser: this.#parser,
        known,
      });
      folder.schemas = own.schemas;
      folder.facts = own.facts;
      const model = await folder.latest();
      this.#folders.set(model, folder);
      return { use: (scope) => void this.#pins.set(scope, Promise.resolve(model)), [Symbol.asyncDispose]: remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /**
   * The organization's own layer when it has a folder, else the default layer; up to date with the files. Rejects with
   * `not_available` when the organization may have had a folder that is gone.
   */
  async modelFor(orgId: string | null): Promise<SemanticModel> {
    const schemas = await this.#options.schemas?.of(orgId);
    const folder = this.#folderFor(orgId, schemas);
    const facts = this.#options.facts?.()?.of(folder === this.#default ? null : orgId);
    folder.facts = facts instanceof Promise ? await facts : facts;
    if (schemas?.wasRead === false) {
      const reading = withTimeout(schemas.refresh(true), SCHEMA_TIMEOUT_MS, () => undefined);
      await Promise.all([folder.latest(), reading]);
    }
    const model = await folder.latest();
    this.#folders.set(model, folder);
    // The others are refreshed while they are used; this one is watched. It never rejects.
    if (folder !== this.#default) void schemas?.refresh(model.summary === undefined);
    return model;
  }

  /** See `SemanticLayerApi.filesOf`. */
  async filesOf(orgId: string | null): Promise<LayerFiles> {
    const model = await this.modelFor(orgId);
    const { loader } = this.#folders.get(model) ?? this.#default;
    return { model, files: loader.writtenFiles };
  }

  /** See `SemanticLayerApi.measuredTables`. */
  async measuredTables(orgId: string | null): Promise<readonly MeasuredTable[]> {
    return measuredTables((await this.filesOf(orgId)).files, this.#options.isProtected?.(orgId));
  }

  /** See `SemanticLayerApi.readFile`. */
  readFile(orgId: string | null, path: string): Buffer | undefined {
    return readFile(orgId === null ? this.#options.dir : this.#pathOf(orgId), path);
  }

  /** See `SemanticLayerApi.importLayer`. */
  async importLayer(
    orgId: string | null,
    files: readonly ImportedFile[],
    options: ImportOptions,
  ): Promise<ImportResult> {
    const length = files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    return this.#imports.run(orgId, length, async () => {
      if (orgId !== null && !ORGANIZATION_ID.test(orgId)) throw invalidOrganization(orgId);
      const isKnown = orgId !== null && this.#known.has(orgId);
      const folders = [this.#default, this.#organizations.get(orgId ?? '')];
      const known = folders.flatMap((folder) => folder?.loader.writtenFiles ?? []);
      const settings = { ...options, isKnown, parser: this.#parser, known };
      const result = await importFiles(this.#options.dir, orgId, files, settings);
      await this.#folderFor(orgId, await this.#options.schemas?.of(orgId)).expire();
      return result;
    });
  }

  /** Has the next request check the files of an organization, of the shared layer (empty), or of all layers (`undefined`). */
  expire(orgId: string | undefined): void {
    const own = orgId === undefined ? [...this.#organizations.values()] : [this.#organizations.get(orgId)];
    for (const folder of orgId ? own : [this.#default, ...own]) void folder?.expire();
  }

  /** See `SemanticLayerApi.leftBehind`. */
  leftBehind(): Promise<LeftBehind[]> {
    return leftBehind(this.#options.dir);
  }

  /** See `SemanticLayerApi.deleteLayer`. */
  deleteLayer(orgId: string): Promise<void> {
    return this.#imports.run(orgId, 0, async () => {
      if (ORGANIZATION_ID.test(orgId)) await deleteFolder(this.#options.dir, orgId);
    });
  }

  /** Text of the layer for the prompt, at most `maxBytes` UTF-8 bytes. */
  contextFor(
    model: SemanticModel,
    question: string,
    { maxBytes = this.#options.contextBytes }: { readonly maxBytes?: number } = {},
  ): Promise<string> {
    return this.#writerOf(model).write(model, question, maxBytes);
  }

  /** The same in the two parts of a prompt. */
  contextParts(model: SemanticModel, question: string, options: ContextOptions): Promise<LayerContext> {
    return this.#writerOf(model).parts(model, question, options);
  }

  /** What a question is given, and the scores that chose it. */
  explain(model: SemanticModel, question: string, options: ContextOptions = {}): Promise<Explanation> {
    return this.#writerOf(model).explain(model, question, { maxBytes: this.#options.contextBytes, ...options });
  }

  #writerOf(model: SemanticModel): ContextWriter {
    return this.#folders.get(model)?.writer ?? new ContextWriter(new LayerSearch());
  }

  /** Answers the explore tool from the layer of the scope's organization. */
  async explore(scope: RequestScope, path: string, maxBytes = this.#options.exploreBytes): Promise<string> {
    return explore(await this.#explored(scope), path, maxBytes);
  }

  /** The files of that layer as the model may see them. Those of one version are read once. */
  async visibleFiles(scope: RequestScope): Promise<readonly VisibleFile[]> {
    const layer = await this.#explored(scope);
    const files = this.#visible.get(layer.model) ?? visibleFiles(layer);
    this.#visible.set(layer.model, files);
    return files;
  }

  async #explored(scope: RequestScope): Promise<ExploredLayer> {
    const model = await this.for(scope);
    const { loader, search } = this.#folders.get(model) ?? this.#default;
    return { root: loader.root, files: loader.files, model, search };
  }

  /** Stops checking, and aborts a running load. */
  close(): void {
    clearInterval(this.#watching);
    this.#closing.abort();
    this.#parser.close();
  }

  /** Records which organizations have a layer, so that a removed one is noticed. */
  #recordOrganizations(): void {
    try {
      for (const entry of readdirSync(join(this.#options.dir, ORGANIZATIONS_FOLDER), { withFileTypes: true })) {
        const isFolder = entry.isDirectory() || entry.isSymbolicLink();
        if (isFolder && ORGANIZATION_ID.test(entry.name)) this.#known.add(entry.name);
      }
    } catch {
      // Without the folder there are no organizations; `#folderFor` reports any other error.
    }
  }

  #newFolder(dir: string, orgId: string | null): ReloadingFolder {
    return new ReloadingFolder(dir, orgId, this.#options, { signal: this.#closing.signal, parser: this.#parser });
  }

  /** The folder with its model for the databases that the organization can ask. */
  #folderFor(orgId: string | null, schemas: DatabaseSchemas | undefined): ReloadingFolder {
    if (orgId === null) {
      this.#default.schemas = schemas;
      return this.#default;
    }
    const dir = this.#pathOf(orgId);
    const known = this.#organizations.get(orgId);
    // The map is in order of last use; the least recently used folder is dropped.
    this.#organizations.delete(orgId);
    if (dir === this.#options.dir && schemas === this.#default.schemas) return this.#default;
    const isSame = known?.loader.root === dir;
    const folder = isSame ? known : this.#newFolder(dir, orgId);
    folder.schemas = schemas;
    this.#organizations.set(orgId, folder);
    if (this.#organizations.size > MAX_ORGANIZATIONS) {
      const [oldest] = this.#organizations.keys();
      if (oldest !== undefined) this.#organizations.delete(oldest);
    }
    return folder;
  }

  /** The organization's own folder, else the shared one. */
  #pathOf(orgId: string): string {
    const { dir: shared } = this.#options;
    const parent = join(this.#options.dir, ORGANIZATIONS_FOLDER);
    if (!ORGANIZATION_ID.test(orgId)) {
      if (this.#known.isEmpty && statusOf(parent) === undefined) return shared;
      throw invalidOrganization(orgId);
    }
    const dir = join(parent, orgId);
    const found = statusOf(dir);
    if (found?.isDirectory() !== true) {
      this.#organizations.delete(orgId);
      if (found !== undefined || this.#known.has(orgId)) throw layerRemoved(orgId);
      return shared;
    }
    this.#known.add(orgId);
    return dir;
  }
}

/** `undefined` when there is nothing. Throws `not_available` when that cannot be determined. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new AtlasError(`The semantic layer of this organization cannot be read (${code}).`, {
      code: 'not_available',
      reason: 'E_SEMANTIC_LAYER_UNREADABLE',
      hint: 'Let the server read the folder `.orgs` of the semantic layer.',
      cause: error,
    });
  }
}
