/** Holds what the reading of a model's output needs to know of the tools of a question. */
import type { AgentTool } from '../../../kernel/index.ts';
import { argumentProblem } from './argument-problem.ts';
import { coercedArguments, namesArgumentOf } from './coerce-arguments.ts';
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

/** The same of tools with the schemas of their arguments. */
export function checkedTools(tools: readonly Pick<AgentTool, 'name' | 'input'>[]): OfferedTools {
  const inputs = new Map(tools.map(({ name, input }) => [name, input]));
  const coerce = (toolName: string, args: unknown) => {
    const input = inputs.get(toolName);
    return input === undefined ? args : coercedArguments(input, args);
  };
  const fits = (toolName: string, args: unknown) => {
    const input = inputs.get(toolName);
    if (input === undefined || !namesArgumentOf(input, args)) return false;
    return argumentProblem(input, coerce(toolName, args)) === undefined;
  };
  const required = [...inputs.values()].flatMap((input): string[] => input.required ?? []);
  return offeredTools([...inputs.keys()], { coerce, fits, required });
}
