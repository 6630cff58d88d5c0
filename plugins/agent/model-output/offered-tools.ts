/** Holds what the reading of a model's output needs to know of the tools of a question. */
import { bareCallBeginnings } from './markup.ts';
import { type FindTool, type FitsTool, findTool } from './tool-names.ts';

/** The tools of a question, as the filter needs them. Made once for each toolbox. */
export interface OfferedTools extends ToolArguments {
  readonly names: readonly string[];
  readonly find: FindTool;
  readonly beginnings: readonly string[];
  /** The first two characters of each beginning. */
  readonly pairs: ReadonlySet<string>;
}

export interface ToolArguments {
  /** Changes the arguments of a call to the tool's schema, as far as it is clear what is meant. */
  coerce(toolName: string, args: unknown): unknown;
  /** Whether they then fit it. */
  readonly fits: FitsTool;
  /** Names of arguments that a call must have. */
  readonly required: readonly string[];
}

const NOT_CHECKED: ToolArguments = { coerce: (_, args) => args, fits: () => false, required: [] };

export function offeredTools(names: readonly string[], args: ToolArguments = NOT_CHECKED): OfferedTools {
  const beginnings = bareCallBeginnings(names, args.required);
  const pairs = new Set(beginnings.map((text) => text.slice(0, 2)));
  return { names, find: findTool(names, args.fits), beginnings, pairs, ...args };
}

export const NO_TOOLS = offeredTools([]);
