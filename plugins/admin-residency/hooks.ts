/** Defines the hook that moves an organization's data to another region. */
import { first } from '../../kernel/index.ts';

export interface RegionMove {
  /** The same when a move is begun again after its server died. */
  readonly id: string;
  /** `null`: what belongs to no organization. */
  readonly orgId: string | null;
  readonly sourceRegion: string;
  readonly targetRegion: string;
}

/** A tap resolves to true once everything is moved, to `undefined` where it does not move between these regions. */
export const residencyMigrate = first<RegionMove, true>('residency.migrate', {
  summary: "Moves an organization's data to another region. Without a tap, requests wait for the operator.",
  deadlineMs: 21_600_000,
});
