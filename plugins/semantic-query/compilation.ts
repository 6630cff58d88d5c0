/** Holds what every step of compiling one plan shares. */
import type { ModelEntity, SemanticModel } from '../semantic-layer/index.ts';
import type { Syntax } from './dialect.ts';
import type { Token } from './expression/tokens.ts';
import type { JoinGraph } from './lookup/join-graph.ts';
import type { Members } from './lookup/members.ts';
import type { Names } from './lookup/names.ts';

export interface Compilation {
  readonly model: SemanticModel;
  readonly names: Names;
  readonly members: Members;
  readonly graph: JoinGraph;
  readonly syntax: Syntax;
  readonly joinPath: readonly string[];
  /**
   * Primary key, one fragment per column: as declared, else the target columns of a to-one join; empty when unknown.
   */
  primaryKey(entity: ModelEntity): readonly (readonly Token[])[];
  /** Entities read so far. */
  readonly entities: Set<ModelEntity>;
}
