/** Declares what is proposed for the files of a layer. */
import type { ModelEntity } from '../semantic-layer/index.ts';

/** So many successful statements must show the same before it is proposed. */
export const MIN_SEEN = 3;

export type Proposal = JoinProposal | MeasureProposal | PatternProposal | SynonymProposal;

interface Common {
  readonly entity: ModelEntity;
  /** Successful statements that show it. */
  readonly seen: number;
  /** What it is, in one line. */
  readonly summary: string;
}

export interface JoinProposal extends Common {
  readonly kind: 'join';
  readonly value: {
    readonly name?: string;
    readonly target: string;
    readonly relationship: 'many_to_one' | 'one_to_one' | 'many_to_many';
    readonly on: readonly { readonly from: string; readonly to: string }[];
  };
}

export interface MeasureProposal extends Common {
  readonly kind: 'measure';
  readonly value: { readonly name: string; readonly type: string; readonly sql: string };
}

export interface PatternProposal extends Common {
  readonly kind: 'pattern';
  readonly value: { readonly description: string; readonly sql: string };
}

export interface SynonymProposal extends Common {
  readonly kind: 'synonym';
  /** What gets it: a dimension or a measure by name, or with `null` the entity itself. */
  readonly member: { readonly list: 'dimensions' | 'measures'; readonly name: string } | null;
  readonly value: string;
}
