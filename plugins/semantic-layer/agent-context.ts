/** Gives the agent the semantic layer: parts of its prompt and the explore tool. */
import { type Static, Type } from '@sinclair/typebox';
import type { AgentTool, ContextPart, Question, Scope } from '../../kernel/index.ts';
import { byteLength } from './context/bounded-text.ts';
import type { ReloadingLayer } from './reloading-layer.ts';

const INSTRUCTIONS = `The semantic layer below describes the data that may be queried: entities (tables) with columns, measures, joins and segments, metrics, and a glossary.
- Use only tables and columns it names, with the definitions of its measures, segments and metrics.
- Join only along the joins it declares. A measure must not be summed over rows that a join has multiplied.
- A glossary term marked AMBIGUOUS: ask the user which of its meanings is meant, before any query.
- What is not shown is reached with the explore tool.`;

/** User messages whose words choose the context: a follow-up such as "and by region?" needs the earlier ones. */
const TURNS_CONSIDERED = 3;

/** The trusted instructions and, as untrusted data, the relevant part of the layer; together at most `maxBytes`. */
export async function contextParts(
  layer: ReloadingLayer,
  question: Question,
  scope: Scope,
  maxBytes: number,
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
  const text = await layer.contextFor(model, words, { maxBytes: maxBytes - byteLength(rules) });
  return [
    { title: 'How to use the semantic layer', text: rules, trusted: true },
    { title: 'Semantic layer', text, trusted: false },
  ];
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

export function exploreTool(layer: ReloadingLayer): AgentTool {
  return {
    name: 'explore',
    description:
      'Looks into the semantic layer. `path` is "" to list it, a folder such as "entities", a file such as "entities/orders.yml", or "?" and words to search entities, metrics and glossary ("?customer churn"). Long texts come in pages: "entities#2".',
    input: ExploreInput,
    async run(input, { scope }) {
      return { forModel: await layer.explore(scope, (input as Static<typeof ExploreInput>).path) };
    },
  };
}
