/** Declares what is proposed for the files of a layer. */
import { createHash } from 'node:crypto';
import type { ModelEntity } from '../semantic-layer/index.ts';

/** So often must the same be seen before it is proposed, where each person counts once a day. */
export const MIN_SEEN = 3;
/** Longest name, synonym or alias, in characters. */
export const MAX_NAME = 40;

export type Proposal = JoinProposal | MeasureProposal | PatternProposal | SynonymProposal | WordingProposal;

/** What shows the same. */
export interface Support {
  readonly statements: number;
  readonly people: number;
  readonly days: number;
}

interface Common {
  /** The entity or verified query whose file gets it. */
  readonly owner: Pick<ModelEntity, 'name' | 'source' | 'file'>;
  /** How often it was seen, where each person counts once a day. */
  readonly seen: number;
  readonly support: Support;
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

/** Another wording of a verified query. */
export interface WordingProposal extends Common {
  readonly kind: 'wording';
  readonly value: string;
}

/** The same for the same proposal, whenever it is made. */
export function idOf({ kind, owner, summary, value }: Proposal): string {
  const text = JSON.stringify([kind, owner.file, summary, value]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** A proposal as clients are shown it. */
export const shownProposal = (proposal: Proposal) => {
  const { kind, owner, seen, support, summary } = proposal;
  return {
    id: idOf(proposal),
    kind,
    entity: owner.name,
    source: owner.source,
    file: owner.file,
    seen,
    support,
    summary,
  };
};
