/** Defines what the plugin offers to other plugins. */
import type { Question, Scope } from '../../kernel/index.ts';
import type { Explanation } from './context/context-writer.ts';
import type { LeftBehind } from './files/left-behind.ts';
import type { MeasuredTable } from './hooks.ts';
import type { LayerFiles } from './layer-files.ts';
import type { ImportedFile, ImportOptions, ImportResult } from './layer-import.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

/** A layer that only some requests have. Disposing removes its files; no request may use it then. */
export interface TriedLayer extends AsyncDisposable {
  /** Has a request that was not begun yet, and its parts, use this layer. */
  use(scope: Scope): void;
}

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
  /** What the model is given of the layer for a question, with the scores that chose it. */
  explain(question: Question, scope: Scope): Promise<Explanation>;
  /** What the explore tool answers. */
  explore(scope: Scope, path: string): Promise<string>;
  /** The files of that layer as they are written, with those that cannot be used. */
  filesOf(orgId: string | null): Promise<LayerFiles>;
  /** Organizations that have a layer of their own, as far as this server has found them. */
  organizations(): readonly string[];
  /** What may be measured of the tables of that layer. */
  measuredTables(orgId: string | null): Promise<readonly MeasuredTable[]>;
  /**
   * The bytes of one file of that layer; `undefined` when there is none. Rejects with `invalid_request` for a path that
   * no layer has, and for a link that leads out of the layer.
   */
  readFile(orgId: string | null, path: string): Promise<Buffer | undefined>;
  /**
   * Writes the files over those of the same paths in the layer of `orgId`, with `null` in the shared one, or deletes
   * them; other files stay. An organization without a layer first gets a copy of the shared one. Rejects with `validation_error`, and
   * writes nothing, when a file is out of place, cannot be used, or breaks another.
   */
  importLayer(orgId: string | null, files: readonly ImportedFile[], options?: ImportOptions): Promise<ImportResult>;
  /**
   * The files that imports had replaced when their process was killed, so that whoever committed them may not have;
   * those of imports that run are waited for.
   */
  leftBehind(): Promise<LeftBehind[]>;
  /** The layer of `orgId` with these files over its own, in a folder that no other request reads; nothing is checked. */
  tryOut(orgId: string | null, files: readonly ImportedFile[]): Promise<TriedLayer>;
  /** Deletes the layer of an organization that ends. Its requests are refused from then on. */
  deleteLayer(orgId: string): Promise<void>;
}
