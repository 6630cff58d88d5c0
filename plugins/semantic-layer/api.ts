/** Defines what the plugin offers to other plugins. */
import type { Scope } from '../../kernel/index.ts';
import type { ImportedFile, ImportOptions, ImportResult } from './layer-import.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

export interface SemanticLayerApi {
  /** The model of the request's organization; the same one until the request ends. */
  for(scope: Scope): Promise<SemanticModel>;
  /** The model of an organization, or with `null` the default one, up to date with the files. */
  modelFor(orgId: string | null): Promise<SemanticModel>;
  /** The default model as last loaded; empty, with version 0, before that. */
  current(): SemanticModel;
  /** Settles once the default model has been loaded. */
  ready(): Promise<void>;
  problems(): readonly SemanticProblem[];
  /** The part of a model that matters for a question, as text of at most `maxBytes`. */
  contextFor(model: SemanticModel, question: string, options?: { readonly maxBytes?: number }): Promise<string>;
  /** What the explore tool answers. */
  explore(scope: Scope, path: string): Promise<string>;
  /**
   * Writes the files over those of the same paths in the layer of `orgId`, with `null` in the shared one; other files
   * stay. An organization without a layer first gets a copy of the shared one. Rejects with `validation_error`, and
   * writes nothing, when a file is out of place, cannot be used, or breaks another.
   */
  importLayer(orgId: string | null, files: readonly ImportedFile[], options?: ImportOptions): Promise<ImportResult>;
}
