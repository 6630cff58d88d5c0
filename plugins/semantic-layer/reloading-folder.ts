/** Keeps the model of one folder up to date with its files. */
import { ContextWriter } from './context/context-writer.ts';
import { LayerSearch } from './context/search.ts';
import type { DatabaseSchemas, KnownSchemas } from './database/database-schema.ts';
import type { OrganizationSchemas } from './database/organization-schemas.ts';
import type { FactSource, IsProtected, LayerFacts } from './hooks.ts';
import type { KnownOrganizations } from './known-organizations.ts';
import { LayerLoader, type LoaderSettings } from './loader.ts';
import type { SemanticModel } from './model.ts';

export interface ReloadingLayerOptions {
  readonly dir: string;
  /** Shortest time between two checks of the files. */
  readonly checkIntervalMs: number;
  readonly contextBytes: number;
  readonly exploreBytes: number;
  /** The schemas of the databases; without it the layer is not compared with them. */
  readonly schemas?: OrganizationSchemas;
  /** Organizations that have had their own layer; by default those seen by this object. */
  readonly known?: KnownOrganizations;
  /** Which tables show no values in the layer of an organization, or in the shared one. */
  readonly isProtected?: (orgId: string | null) => IsProtected | undefined;
  /** Who has measured row counts, ranges and values. */
  readonly facts?: () => FactSource | undefined;
  /** Time between two checks without requests; 0 turns them off. */
  readonly watchIntervalMs?: number;
  /** Called once for every version, including the first. */
  readonly onVersion?: (model: SemanticModel, dir: string) => void;
}

/** Largest share of the time that is spent on checking for changes, however many files there are. */
const CHECKING_SHARE = 0.05;

/** One folder with its current model, text index and cached prompts. */
export class ReloadingFolder {
  readonly loader: LayerLoader;
  readonly search = new LayerSearch();
  readonly writer = new ContextWriter(this.search);
  /** Schemas of the databases that the layer is for. */
  schemas: DatabaseSchemas | undefined;
  /** What was measured of its tables. */
  facts: LayerFacts | undefined;
  readonly #options: ReloadingLayerOptions;
  #model: SemanticModel | undefined;
  #nextCheck = 0;
  #loading: Promise<SemanticModel> | undefined;
  #matched: KnownSchemas | undefined;
  #measured: LayerFacts | undefined;

  constructor(dir: string, orgId: string | null, options: ReloadingLayerOptions, settings: LoaderSettings) {
    this.loader = new LayerLoader(dir, { ...settings, isProtected: () => options.isProtected?.(orgId) });
    this.#options = options;
  }

  get current(): SemanticModel | undefined {
    return this.#model;
  }

  /** The current model; checks the files first when that is due. Concurrent callers share one check. */
  async latest(): Promise<SemanticModel> {
    const isKnown = this.#matched === this.schemas?.known && this.#measured === this.facts;
    if (this.#loading !== undefined) {
      const model = await this.#loading;
      // A running load may have started with older schemas or facts.
      return isKnown ? model : this.latest();
    }
    if (this.#model !== undefined && isKnown && performance.now() < this.#nextCheck) return this.#model;
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Makes the next call check the files. */
  async expire(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    this.#nextCheck = 0;
  }

  async #load(): Promise<SemanticModel> {
    const started = performance.now();
    const schemas = this.schemas?.known;
    const { facts } = this;
    const model = await this.loader.load(schemas, facts);
    this.#matched = schemas;
    this.#measured = facts;
    const tookMs = performance.now() - started;
    // The first load parses everything, so it says nothing about the cost of later checks.
    const restMs = this.#model === undefined ? 0 : tookMs / CHECKING_SHARE;
    this.#nextCheck = performance.now() + Math.max(this.#options.checkIntervalMs, restMs);
    if (model !== this.#model) this.#options.onVersion?.(model, this.loader.root);
    this.#model = model;
    return model;
  }
}
