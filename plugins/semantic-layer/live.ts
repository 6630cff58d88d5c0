/** The semantic layer of a running service: loads in the background, notices changes, and pins requests to a version. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createModel } from './build.ts';
import { ContextWriter } from './context.ts';
import { explore } from './explore.ts';
import { LayerLoader } from './load.ts';
import type { SemanticModel } from './model.ts';
import { LayerSearch } from './search.ts';

/** What a request is known by: the model is pinned to this object. */
export interface LayerScope {
  readonly orgId: string | null;
  readonly parent?: LayerScope | undefined;
}

export interface LiveLayerOptions {
  readonly dir: string;
  /** Least time between two looks at the files. */
  readonly checkIntervalMs: number;
  readonly contextBytes: number;
  readonly exploreBytes: number;
  /** Called once for every new version, the first included. */
  readonly onVersion?: (model: SemanticModel, dir: string) => void;
}

/** At most this part of the time goes into looking for changes, however many files there are. */
const checkingShare = 0.05;
const maxOrganizations = 64;
const organizationId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const nothingLoaded = { entities: [], metrics: [], glossary: [], catalog: undefined };

/** One folder with its current model, its index and its prompts. */
class LiveFolder {
  readonly loader: LayerLoader;
  readonly search = new LayerSearch();
  readonly writer = new ContextWriter(this.search);
  readonly #options: LiveLayerOptions;
  #model: SemanticModel | undefined;
  #nextCheck = 0;
  #loading: Promise<SemanticModel> | undefined;

  constructor(dir: string, options: LiveLayerOptions, signal: AbortSignal) {
    this.loader = new LayerLoader(dir, signal);
    this.#options = options;
  }

  get current(): SemanticModel | undefined {
    return this.#model;
  }

  /** The current model; looks at the files first when that is due. Concurrent callers share one look. */
  latest(): Promise<SemanticModel> {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#model !== undefined && performance.now() < this.#nextCheck) return Promise.resolve(this.#model);
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<SemanticModel> {
    const started = performance.now();
    const model = await this.loader.load();
    const tookMs = performance.now() - started;
    const isFirst = this.#model === undefined;
    // The first load parses everything; what later looks cost is known only after one of them.
    const restMs = isFirst ? 0 : tookMs / checkingShare;
    this.#nextCheck = performance.now() + Math.max(this.#options.checkIntervalMs, restMs);
    if (model !== this.#model) this.#options.onVersion?.(model, this.loader.root);
    this.#model = model;
    return model;
  }
}

export class LiveLayer {
  readonly #options: LiveLayerOptions;
  readonly #closing = new AbortController();
  readonly #default: LiveFolder;
  readonly #organizations = new Map<string, LiveFolder>();
  readonly #pins = new WeakMap<LayerScope, Promise<SemanticModel>>();
  readonly #folders = new WeakMap<SemanticModel, LiveFolder>();
  readonly #empty = createModel(nothingLoaded, 0, []);

  constructor(options: LiveLayerOptions) {
    this.#options = options;
    this.#default = new LiveFolder(options.dir, options, this.#closing.signal);
  }

  /** Settles when the default layer has been loaded once. Starts the load. */
  async ready(): Promise<void> {
    if (this.#default.current === undefined) await this.modelFor(null);
  }

  get isLoaded(): boolean {
    return this.#default.current !== undefined;
  }

  /** Entities of the default layer; while it is being loaded, the files that may hold one. */
  get entityCount(): number {
    return this.#default.current?.entities.length ?? this.#default.loader.entityFileCount;
  }

  /** The default layer as last loaded; an empty model of version 0 before that. */
  current(): SemanticModel {
    return this.#default.current ?? this.#empty;
  }

  /** The model for one request: the same at every call with the same scope, and with the parts of it. */
  for(scope: LayerScope): Promise<SemanticModel> {
    for (let at: LayerScope | undefined = scope; at !== undefined; at = at.parent) {
      const pinned = this.#pins.get(at);
      if (pinned !== undefined) return pinned;
    }
    const model = this.modelFor(scope.orgId);
    this.#pins.set(scope, model);
    return model;
  }

  /** The organization's own layer where it has a folder, else the default one; up to date with the files. */
  async modelFor(orgId: string | null): Promise<SemanticModel> {
    const folder = this.#folderFor(orgId);
    const model = await folder.latest();
    this.#folders.set(model, folder);
    return model;
  }

  /** Text of the layer for the prompt, at most `maxBytes` UTF-8 bytes. */
  contextFor(
    model: SemanticModel,
    question: string,
    { maxBytes = this.#options.contextBytes }: { readonly maxBytes?: number } = {},
  ): Promise<string> {
    const writer = this.#folders.get(model)?.writer ?? new ContextWriter(new LayerSearch());
    return writer.write(model, question, maxBytes);
  }

  /** See `explore.ts`: in the layer of the scope's organization. */
  async explore(scope: LayerScope, path: string): Promise<string> {
    const model = await this.for(scope);
    const { loader, search } = this.#folders.get(model) ?? this.#default;
    return explore({ root: loader.root, files: loader.files, model, search }, path, this.#options.exploreBytes);
  }

  /** Stops a load that is under way. */
  close(): void {
    this.#closing.abort();
  }

  #folderFor(orgId: string | null): LiveFolder {
    if (orgId === null || !organizationId.test(orgId)) return this.#default;
    const dir = join(this.#options.dir, '.orgs', orgId);
    if (!existsSync(dir)) {
      this.#organizations.delete(orgId);
      return this.#default;
    }
    const known = this.#organizations.get(orgId);
    const folder = known ?? new LiveFolder(dir, this.#options, this.#closing.signal);
    // The order of the map is that of last use: the one unused for longest goes first.
    this.#organizations.delete(orgId);
    this.#organizations.set(orgId, folder);
    if (this.#organizations.size > maxOrganizations) {
      const [oldest] = this.#organizations.keys();
      if (oldest !== undefined) this.#organizations.delete(oldest);
    }
    return folder;
  }
}
