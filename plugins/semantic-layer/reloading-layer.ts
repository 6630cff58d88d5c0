/** The semantic layer of a running service: loads in the background, notices changes, and pins requests to a version. */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { AtlasError, within } from '../../kernel/index.ts';
import { createModel } from './build/build-model.ts';
import { ContextWriter } from './context/context-writer.ts';
import type { DatabaseSchemas, KnownSchemas } from './database/database-schema.ts';
import { explore } from './context/explore.ts';
import { KnownOrganizations } from './known-organizations.ts';
import { LayerLoader } from './loader.ts';
import type { SemanticModel } from './model.ts';
import { LayerSearch } from './context/search.ts';

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
  /** What the databases have; missing: they are not looked at. */
  readonly schemas?: DatabaseSchemas;
  /** Those that have had a layer of their own; missing: as far as this object has seen it. */
  readonly known?: KnownOrganizations;
  /** Time between two looks when nobody asks; 0: none. */
  readonly watchIntervalMs?: number;
  /** Called once for every new version, the first included. */
  readonly onVersion?: (model: SemanticModel, dir: string) => void;
}

/** At most this part of the time goes into looking for changes, however many files there are. */
const checkingShare = 0.05;
/** A database that does not answer must not keep questions waiting for longer. */
const schemaPatienceMs = 3_000;
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

  #schemas: KnownSchemas | undefined;

  constructor(dir: string, options: LiveLayerOptions, signal: AbortSignal) {
    this.loader = new LayerLoader(dir, signal);
    this.#options = options;
  }

  get current(): SemanticModel | undefined {
    return this.#model;
  }

  /** The current model; looks at the files first when that is due. Concurrent callers share one look. */
  latest(): Promise<SemanticModel> {
    const isKnown = this.#schemas === this.#knownSchemas();
    // One that is under way may have begun with less knowledge of the databases.
    if (this.#loading !== undefined) return this.#loading.then((model) => (isKnown ? model : this.latest()));
    if (this.#model !== undefined && isKnown && performance.now() < this.#nextCheck)
      return Promise.resolve(this.#model);
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  #knownSchemas(): KnownSchemas | undefined {
    return this.#options.schemas?.known;
  }

  async #load(): Promise<SemanticModel> {
    const started = performance.now();
    const schemas = this.#knownSchemas();
    const model = await this.loader.load(schemas);
    this.#schemas = schemas;
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
  readonly #known: KnownOrganizations;
  #watching: NodeJS.Timeout | undefined;
  readonly #empty = createModel(nothingLoaded, 0, []);

  constructor(options: LiveLayerOptions) {
    this.#options = options;
    this.#known = options.known ?? new KnownOrganizations();
    this.#default = new LiveFolder(options.dir, options, this.#closing.signal);
    this.#seenOrganizations();
  }

  /** Settles when the default layer has been loaded once. Starts the load. */
  async ready(): Promise<void> {
    if (!this.isSettled) await this.modelFor(null);
  }

  /** Whether the default layer is loaded and the databases have been asked what they have. */
  get isSettled(): boolean {
    return this.isLoaded && this.#options.schemas?.wasRead !== false;
  }

  /** Looks for changes of the default layer and of the databases from now on, also when nobody asks. */
  watch(): void {
    const { watchIntervalMs = 0, schemas } = this.#options;
    if (watchIntervalMs === 0) return;
    const look = async () => {
      const { summary } = await this.#default.latest();
      await schemas?.refresh(summary === undefined);
      await this.#default.latest();
      this.#seenOrganizations();
      await this.#known.save();
    };
    // An error here is one of closing: whoever asks next gets any other.
    this.#watching = setInterval(() => void look().catch(() => undefined), watchIntervalMs).unref();
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

  /**
   * The organization's own layer where it has a folder, else the default one; up to date with the files. Rejects with
   * `not_available` where it is not sure that the organization has never had a folder.
   */
  async modelFor(orgId: string | null): Promise<SemanticModel> {
    const folder = this.#folderFor(orgId);
    const { schemas } = this.#options;
    if (schemas?.wasRead === false) {
      const reading = within(schemaPatienceMs, schemas.refresh(true), () => undefined);
      await Promise.all([folder.latest(), reading]);
    }
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
    clearInterval(this.#watching);
    this.#closing.abort();
  }

  /** Remembers who has a layer, so that its removal is told from never having had one. */
  #seenOrganizations(): void {
    try {
      for (const entry of readdirSync(join(this.#options.dir, '.orgs'), { withFileTypes: true })) {
        const isFolder = entry.isDirectory() || entry.isSymbolicLink();
        if (isFolder && organizationId.test(entry.name)) this.#known.add(entry.name);
      }
    } catch {
      // There is none, or `#folderFor` says what is wrong with it.
    }
  }

  #folderFor(orgId: string | null): LiveFolder {
    if (orgId === null) return this.#default;
    const parent = join(this.#options.dir, '.orgs');
    if (!organizationId.test(orgId)) {
      if (this.#known.isEmpty && lookAt(parent) === undefined) return this.#default;
      throw unmapped(orgId);
    }
    const dir = join(parent, orgId);
    const found = lookAt(dir);
    if (found?.isDirectory() !== true) {
      this.#organizations.delete(orgId);
      if (found !== undefined || this.#known.has(orgId)) throw layerGone(orgId);
      return this.#default;
    }
    this.#known.add(orgId);
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

/** `undefined` where there is nothing. Throws `not_available` where that cannot be known. */
function lookAt(path: string): Stats | undefined {
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

/** The layer that everybody else has may show what this organization's own had masked. */
function layerGone(orgId: string): AtlasError {
  return new AtlasError(`The semantic layer of the organization "${orgId}" is gone: its folder was removed.`, {
    code: 'not_available',
    reason: 'E_SEMANTIC_LAYER_GONE',
    hint: 'Put the folder back; docs/semantic-layer.md says how to use the shared layer instead.',
  });
}

/** There is no telling which of the layers was meant for it. */
function unmapped(orgId: string): AtlasError {
  return new AtlasError(`The organization ${JSON.stringify(orgId.slice(0, 130))} cannot have a semantic layer.`, {
    code: 'not_available',
    reason: 'E_ORGANIZATION_UNMAPPED',
    hint: 'Where organizations have layers of their own, an id has to be the name of a folder: 1 to 128 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.',
  });
}
