/** Holds what the reading of a model's output needs to know of the tools of a question. */
import { bareCallBeginnings } from './markup.ts';
import { type FindTool, findTool } from './tool-names.ts';

/** The tools of a question, as the filter needs them. Made once for each toolbox. */
export interface OfferedTools {
  readonly names: readonly string[];
  readonly find: FindTool;
  readonly beginnings: readonly string[];
  /** The first two characters of each beginning. */
  readonly pairs: ReadonlySet<string>;
  /** Changes the arguments of a call to the tool's schema, as far as it is clear what is meant. */
  coerce(toolName: string, args: unknown): unknown;
}

export function offeredTools(
  names: readonly string[],
  coerce: OfferedTools['coerce'] = (_, args) => args,
): OfferedTools {
  const beginnings = bareCallBeginnings(names);
  const pairs = new Set(beginnings.map((text) => text.slice(0, 2)));
  return { names, find: findTool(names), beginnings, pairs, coerce };
}

export const NO_TOOLS = offeredTools([]);
