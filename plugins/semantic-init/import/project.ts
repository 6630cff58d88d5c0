/** Types what is read from the files of another tool: entities, metrics, and what a layer cannot say. */
import type { DimensionType, Measure, Segment } from '../../semantic-layer/index.ts';

export interface ImportedDimension {
  readonly name: string;
  /** An expression over the columns, with `{name}` for other dimensions. Default: the column `name`. */
  readonly sql?: string;
  readonly type?: DimensionType;
  readonly description?: string;
  readonly synonyms?: readonly string[];
  readonly primary_key?: boolean;
  readonly hidden?: boolean;
  readonly sample_values?: readonly string[];
}

export interface ImportedJoin {
  readonly name?: string;
  /** Name of an imported entity. */
  readonly target: string;
  readonly relationship: 'many_to_one' | 'one_to_many' | 'one_to_one' | 'many_to_many';
  readonly on: readonly { readonly from: string; readonly to: string }[];
}

export interface ImportedEntity {
  readonly name: string;
  readonly table: string;
  readonly schema?: string;
  readonly description?: string;
  readonly synonyms?: readonly string[];
  readonly dimensions: readonly ImportedDimension[];
  readonly measures: readonly Measure[];
  readonly joins: readonly ImportedJoin[];
  readonly segments: readonly Segment[];
}

export interface ImportedMetric {
  readonly id: string;
  readonly label?: string;
  readonly description?: string;
  /** Name of an imported entity. */
  readonly entity: string;
  readonly measure?: string;
  readonly sql?: string;
}

/** A question with its statement, for which nobody has vouched here. */
export interface ImportedVerifiedQuery {
  readonly name: string;
  readonly question: string;
  readonly sql: string;
  readonly onboarding?: boolean;
}

export interface ImportedProject {
  readonly entities: readonly ImportedEntity[];
  readonly metrics: readonly ImportedMetric[];
  readonly verified?: readonly ImportedVerifiedQuery[];
  /** What could not be taken over and why, one line each. */
  readonly notTaken: readonly string[];
}

/** Collects what cannot be taken over. */
export type Report = (what: string, why: string) => void;

/** Why a part cannot be taken over. */
export class CannotTake extends Error {}

/** The part, or nothing where `CannotTake` is thrown, which is reported. */
export type Taken = <T>(label: string, take: () => T) => T[];

/** Collects what is not taken over. */
export function findings(before: readonly string[] = []) {
  const notTaken = [...before];
  const report: Report = (what, why) => void notTaken.push(`${what}: ${why}`);
  const taken: Taken = (label, take) => {
    try {
      return [take()];
    } catch (error) {
      if (!(error instanceof CannotTake)) throw error;
      report(label, error.message);
      return [];
    }
  };
  return { notTaken, report, taken };
}

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The maps of a list, or of the values of a map; a value of another kind has none. */
export const recordsOf = (value: unknown): readonly Json[] =>
  (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []).filter(isRecord);
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** The words by which a person calls it, unless they are only its name. */
export function synonymsOf(name: string, label: unknown): string[] | undefined {
  const text = textOf(label);
  return text === undefined || text.toLowerCase() === name.replaceAll('_', ' ').toLowerCase() ? undefined : [text];
}

/** The properties that have a value. */
export function present<T extends object>(properties: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(properties).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  ) as never;
}
