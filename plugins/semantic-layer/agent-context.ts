/** Gives the agent the semantic layer: parts of its prompt and the explore tool. */
import { type Static, Type } from '@sinclair/typebox';
import type { AgentTool, ContextPart, PluginContext, Question, Scope } from '../../kernel/index.ts';
import { byteLength } from './context/bounded-text.ts';
import type { Sandbox } from './hooks.ts';
import type { ReloadingLayer } from './reloading-layer.ts';
import { findSandbox, runInSandbox, SandboxInput, sandboxHealth } from './sandbox.ts';

const INSTRUCTIONS = `The semantic layer below describes the data that may be queried: entities (tables) with columns, measures, joins and segments, metrics, and a glossary.
- Use only tables and columns it names, with the definitions of its measures, segments and metrics.
- Join only along the joins it declares. A measure must not be summed over rows that a join has multiplied.
- A glossary term marked AMBIGUOUS: ask the user which of its meanings is meant, before any query, with the tool clarify.
- What is not shown is reached with the explore tool.`;

/** User messages whose words choose the context: a follow-up such as "and by region?" needs the earlier ones. */
const TURNS_CONSIDERED = 3;

/** The trusted instructions and, as untrusted data, the layer or parts of it; together at most `contextBytes`. */
export async function contextParts(
  layer: ReloadingLayer,
  question: Question,
  scope: Scope,
  contextBytes: number,
): Promise<readonly ContextPart[]> {
  const asked = question.turns.filter(({ role }) => role === 'user').slice(-TURNS_CONSIDERED);
  const words = asked
    .reverse()
    .map(({ text }) => text)
    .join('\n');
  const model = await layer.for(scope);
  const { notice } = model;
  const rules =
    notice === undefined
      ? INSTRUCTIONS
      : `${INSTRUCTIONS}\n- Tell the user, when it matters for the question: ${notice}`;
  const maxBytes = Math.min(contextBytes, question.room?.contextBytes ?? contextBytes) - byteLength(rules);
  const { stable, perQuestion } = await layer.contextParts(model, words, maxBytes);
  const title = 'Semantic layer';
  const parts: ContextPart[] = [
    { title: 'How to use the semantic layer', text: rules, trusted: true },
    { title, text: stable, trusted: false },
  ];
  if (perQuestion === '') return parts;
  return [...parts, { title: `${title}, for this question`, text: perQuestion, trusted: false, perQuestion: true }];
}

const ExploreInput = Type.Object(
  {
    path: Type.String({
      maxLength: 400,
      description: 'Path below the root of the layer, or `?` and the words to search for.',
    }),
  },
  { additionalProperties: false },
);

function exploreTool(layer: ReloadingLayer): AgentTool {
  return {
    name: 'explore',
    description:
      'Looks into the semantic layer. `path` is "" to list it, a folder such as "entities", a file such as "entities/orders.yml", or "?" and words to search entities, metrics and glossary ("?customer churn"). Long texts come in pages: "entities#2".',
    input: ExploreInput,
    async run(input, { scope, question }) {
      const { path } = input as Static<typeof ExploreInput>;
      return { forModel: await layer.explore(scope, path, question.room?.resultBytes) };
    },
  };
}

/** The same over the backend of a sandbox plugin. */
function sandboxTool(layer: ReloadingLayer, sandbox: Sandbox, exploreBytes: number): AgentTool {
  return {
    name: 'explore',
    description: `Looks into the files of the semantic layer with a command. ${sandbox.usage}`,
    input: SandboxInput,
    async run(input, { scope, question }) {
      const { command } = input as Static<typeof SandboxInput>;
      const maxBytes = Math.min(exploreBytes, question.room?.resultBytes ?? exploreBytes);
      const files = await layer.visibleFiles(scope);
      return { forModel: await runInSandbox(sandbox, { command, files, maxBytes }, scope) };
    },
  };
}

/** The explore tool in the backend that the composition brings, and that backend's health. */
export function explorer(ctx: PluginContext, layer: ReloadingLayer, exploreBytes: number) {
  let sandbox: Sandbox | undefined;
  let tool = exploreTool(layer);
  return {
    /** Looks for the backend, once all plugins are set up. */
    async ready(): Promise<void> {
      sandbox = await findSandbox(ctx);
      if (sandbox !== undefined) tool = sandboxTool(layer, sandbox, exploreBytes);
    },
    tool: () => tool,
    health: async () => (sandbox === undefined ? [] : [await sandboxHealth(sandbox)]),
  };
}
