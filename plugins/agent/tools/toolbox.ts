/** The tools of one question: what the model is told about them, and the way from its call to the result. */
import { randomUUID } from 'node:crypto';
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { Value } from '@sinclair/typebox/value';
import {
  type AgentTool,
  AtlasError,
  type Collected,
  messagesOf,
  type ToolOutcome,
  type ToolRun,
} from '../../../kernel/index.ts';
import { type Bus, toolBegun, toolEnded } from '../events.ts';
import { sizeOf } from '../size.ts';
import { failed } from './tool-outcome.ts';
import { schemaForModel } from './tool-schema.ts';

/** Failures that another call by the model can avoid; any other ends the question with its code. */
const REPAIRABLE = new Set([
  'sql_refused',
  'sql_failed',
  'sql_timeout',
  'invalid_request',
  'validation_error',
  'not_found',
]);

/** A call of the model, its arguments read. */
export interface ToolCall {
  /** As clients know it: never the same again. */
  readonly toolCallId: string;
  /** As the model knows it: unique in the question. */
  readonly modelCallId: string;
  readonly toolName: string;
  /** Text when it is not JSON, which the tool's schema refuses. */
  readonly args: unknown;
}

/** Providers refuse longer ids and names in the conversation that is sent back to them. */
const LONGEST_ID_CHARS = 64;

/**
 * Reads a call: `input` is JSON text, or already parsed by a lenient provider. The model's own id is kept for the model,
 * unless it is missing, too long or in `usedIds`, to which it is added.
 */
export function toolCall(
  sent: { toolCallId: string; toolName: string; input: unknown },
  usedIds: Set<string>,
): ToolCall {
  const toolCallId = `call_${randomUUID()}`;
  const own = sent.toolCallId;
  const kept = own !== '' && own.length <= LONGEST_ID_CHARS && !usedIds.has(own);
  const modelCallId = kept ? own : toolCallId;
  usedIds.add(modelCallId);
  return { toolCallId, modelCallId, toolName: nameOf(sent.toolName), args: argumentsOf(sent.input) };
}

/** A name that can be sent back, whatever the model called. */
function nameOf(sent: string): string {
  return sent.slice(0, LONGEST_ID_CHARS).replace(/[^\w.:/-]/g, '_') || 'unnamed';
}

/** No tool has arguments so deep; deeper ones cannot even be written down again. */
const DEEPEST_ARGUMENTS = 32;

function argumentsOf(input: unknown): unknown {
  const value = parsedArguments(input);
  return Number.isFinite(sizeOf(value, Number.MAX_SAFE_INTEGER, DEEPEST_ARGUMENTS)) ? value : 'nested too deep';
}

function parsedArguments(input: unknown): unknown {
  let value = input;
  // Twice: some models encode the arguments a second time.
  for (let pass = 0; pass < 2 && typeof value === 'string'; pass += 1) {
    if (value.trim() === '') return {};
    try {
      value = JSON.parse(value);
    } catch {
      return value;
    }
  }
  return withoutNulls(value ?? {});
}

/** Models write `null` for an optional argument that they leave out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

export class Toolbox {
  /** As the model is told. */
  readonly definitions: LanguageModelV4FunctionTool[] = [];
  readonly #tools = new Map<string, AgentTool>();

  /** Throws when two plugins bring a tool of the same name. */
  constructor(collected: readonly Collected<AgentTool>[]) {
    const owners = new Map<string, string>();
    for (const { plugin, value: tool } of collected) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) {
        throw new AtlasError(`Plugins "${owner}" and "${plugin}" both bring a tool named "${tool.name}".`, {
          code: 'configuration_error',
          hint: 'Leave one of them out, or rename its tool.',
        });
      }
      owners.set(tool.name, plugin);
      this.#tools.set(tool.name, tool);
      this.definitions.push({
        type: 'function',
        name: tool.name,
        description: tool.description,
        inputSchema: schemaForModel(tool.input),
      });
    }
  }

  /**
   * Runs one call. A call that the model can do better comes back as `{error, hint}` for it to read; rejects when the
   * question cannot go on, such as when the database is down.
   */
  async run(call: ToolCall, run: ToolRun, bus: Bus): Promise<ToolOutcome> {
    const tool = this.#tools.get(call.toolName);
    if (tool === undefined) {
      return failed(`There is no tool "${call.toolName}".`, `Tools: ${[...this.#tools.keys()].join(', ') || 'none'}.`);
    }
    const { modelCallId: toolCallId, args: input } = call;
    const problem = problemWith(tool, input);
    if (problem !== undefined) return failed(`${tool.name} was not called: ${problem}`, 'Correct the arguments.');
    const scope = run.scope.part();
    const startedAt = performance.now();
    let failure: unknown;
    if (bus.hears(toolBegun)) bus.emit(toolBegun, { scope, tool: tool.name, toolCallId, input });
    try {
      return await tool.run(input, { ...run, scope });
    } catch (error) {
      failure = error;
      if (scope.signal.aborted) throw error;
      if (error instanceof AtlasError) {
        if (REPAIRABLE.has(error.code)) return failed(error.message, error.hint ?? 'Change the call.');
        throw error;
      }
      const stack = error instanceof Error ? error.stack : undefined;
      bus.logOf(scope).error({ tool: tool.name, error: messagesOf(error), stack }, 'A tool failed.');
      return failed(`${tool.name} failed because of a fault of its own.`, 'Go on without it, or say what is missing.');
    } finally {
      if (bus.hears(toolEnded)) {
        bus.emit(toolEnded, { scope, tool: tool.name, error: failure, durationMs: performance.now() - startedAt });
      }
    }
  }
}

/** Toolboxes, the same one as long as the same tools are collected: what is sent to models is then prepared once. */
export function toolboxes(): (collected: readonly Collected<AgentTool>[]) => Toolbox {
  let known: { readonly tools: readonly AgentTool[]; readonly toolbox: Toolbox } | undefined;
  return (collected) => {
    const same =
      known?.tools.length === collected.length && collected.every(({ value }, at) => value === known?.tools[at]);
    if (!same || known === undefined) {
      known = { tools: collected.map(({ value }) => value), toolbox: new Toolbox(collected) };
    }
    return known.toolbox;
  };
}

function problemWith(tool: AgentTool, input: unknown): string | undefined {
  if (typeof input === 'string') return 'its arguments are not a JSON object.';
  const first = Value.Errors(tool.input, input).First();
  if (first === undefined) return undefined;
  const where = first.path === '' ? 'arguments' : `argument "${first.path.slice(1).replaceAll('/', '.')}"`;
  return `${where}: ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)}.`;
}
