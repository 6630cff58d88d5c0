/** Describes one place where text from outside is read, and what its growth is measured with. */
import type { Shape } from './shapes.ts';

export interface TextInput {
  readonly name: string;
  /** Characters of the longest text that is accepted there. */
  readonly longest: number;
  readonly shapes: Readonly<Record<string, Shape>>;
  /** May refuse or reject. */
  read(text: string): unknown;
}

export const KIB = 1024;
/** The longest question. */
export const QUESTION = 64 * KIB;
/** The guard's own limit. */
export const STATEMENT = 100_000;
