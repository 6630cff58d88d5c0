/** Offers the tools of one question to the model and runs its calls. */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import {
  type AgentTool,
  AtlasError,
  type Collected,
  messagesOf,
  type PendingAction,
  type ToolOutcome,
  type ToolRun,
} from '../../../kernel/index.ts';
import { argumentProblem, checkedTools, type OfferedTools, type ToolCall } from '../../model-kit/index.ts';
import { type Bus, toolBegun, toolEnded } from '../events.ts';
import { notesOf } from '../notes.ts';
import { APPROVAL_HINT, APPROVAL_PENDING, pendingActionOf } from '../pending-approval.ts';
import { failed } from './tool-outcome.ts';
import { schemaForModel } from './tool-schema.ts';

/** Codes of failures that the model can repair with another call; any other ends the question. */
const REPAIRABLE = new Set([
  'sql_refused',
  'sql_failed',
  'sql_timeout',
  'invalid_request',
  'validation_error',
  'not_found',
]);

export class Toolbox {
  /** As sent to the model. */
  readonly definitions: LanguageModelV4FunctionTool[] = [];
  /** Characters of the definitions as JSON. */
  readonly definitionBytes: number;
  /** As model output is read with them. */
  readonly offered: OfferedTools;
  readonly #tools = new Map<string, AgentTool>();

  /** Throws when two plugins provide a tool of the same name. */
  constructor(collected: readonly Collected<AgentTool>[]) {
    const owners = new Map<string, string>();
    for (const { plugin, value: tool } of collected) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) {
        throw new AtlasError(`Plugins "${owner}" and "${plugin}" both provide a tool named "${tool.name}".`, {
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
    this.definitionBytes = JSON.stringify(this.definitions).length;
    this.offered = checkedTools([...this.#tools.values()]);
  }

  /**
   * Runs one call. A failure that the model can repair is returned as `{error, hint}`; any other rejects, such as when
   * the database is down.
   */
  async run(call: ToolCall, run: ToolRun, bus: Bus): Promise<ToolOutcome> {
    const tool = this.#tools.get(call.toolName);
    if (tool === undefined) {
      return failed(`There is no tool "${call.toolName}".`, `Tools: ${[...this.#tools.keys()].join(', ') || 'none'}.`);
    }
    const { modelCallId: toolCallId, args: input } = call;
    const problem = argumentProblem(tool.input, input);
    if (problem !== undefined) return failed(`${tool.name} was not called: ${problem.message}`, problem.hint);
    const scope = run.scope.part();
    const startedAt = performance.now();
    let failure: unknown;
    if (bus.hasListeners(toolBegun)) bus.emit(toolBegun, { scope, tool: tool.name, toolCallId, input });
    try {
      return await tool.run(input, { ...run, scope });
    } catch (error) {
      failure = error;
      if (scope.signal.aborted) throw error;
      if (error instanceof AtlasError) {
        const pendingAction = pendingActionOf(error);
        if (pendingAction !== undefined) return awaitsApproval(error, pendingAction, run);
        if (REPAIRABLE.has(error.code)) return failed(error.message, error.hint ?? 'Change the call.');
        throw error;
      }
      const stack = error instanceof Error ? error.stack : undefined;
      bus.logOf(scope).error({ tool: tool.name, error: messagesOf(error), stack }, 'A tool failed.');
      return failed(`${tool.name} failed because of an internal error.`, 'Go on without it, or say what is missing.');
    } finally {
      if (bus.hasListeners(toolEnded)) {
        bus.emit(toolEnded, { scope, tool: tool.name, error: failure, durationMs: performance.now() - startedAt });
      }
    }
  }
}

/** Returns the same toolbox as long as the same tools are collected, so that their schemas are prepared once. */
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

/** Nothing was read, so the call has failed; the answer says what it waits for. */
function awaitsApproval({ message, hint }: AtlasError, pendingAction: PendingAction, { memory }: ToolRun): ToolOutcome {
  notesOf(memory).add({ code: APPROVAL_PENDING, message });
  return { ...failed(message, `${APPROVAL_HINT} ${hint ?? ''}`.trim()), pendingAction };
}
