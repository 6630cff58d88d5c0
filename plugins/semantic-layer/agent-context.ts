/** Gives the agent the semantic layer: parts of its prompt and the explore tool. */
import { type Static, Type } from '@sinclair/typebox';
import type { AgentTool, ContextPart, PluginContext, Question, Scope } from '../../kernel/index.ts';
import { languageOfTurns } from '../language-kit/index.ts';
import { byteLength } from './context/bounded-text.ts';
import type { ContextOptions, Explanation } from './context/context-writer.ts';
import type { ScoredEntity } from './context/rank.ts';
import { visibleModel } from './hidden-columns.ts';
import { type RankedEntities, retrievalRank, type Sandbox } from './hooks.ts';
import type { SemanticModel } from './model.ts';
import type { ReloadingLayer } from './reloading-layer.ts';
import { findSandbox, runInSandbox, SandboxInput, sandboxHealth } from './sandbox.ts';

const INSTRUCTIONS = `The semantic layer describes the data that may be queried. Those of its parts that the question seems to need stand before it.
- Use only tables and columns it names, with the definitions of its measures, segments and metrics.
- Join only along the joins it declares. A measure must not be summed over rows that a join has multiplied.
- A glossary term marked AMBIGUOUS: ask which of its meanings is meant, before any query, with the tool clarify.
- Reach what is not shown with the tool explore.`;

/** User messages whose words choose the context: a follow-up such as "and by region?" needs the earlier ones. */
const TURNS_CONSIDERED = 3;
/** Names of tables in a statement, with their schemas. */
const TABLE_NAME = /(?:\b(?:from|join)\s+|,\s*)((?:(?:"[^"]*"|`[^`]*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*)\.?)+)/giu;
/** Texts for small models have few lengths, so that prompt caches keep them. */
const ROOM_STEP_BYTES = 512;

/** The words that choose the context: those of the last questions, and the tables of the last query. */
function wordsOf({ turns }: Question): string {
  const asked = turns.filter(({ role }) => role === 'user').slice(-TURNS_CONSIDERED);
  const last = turns.findLast(({ query }) => query !== undefined)?.query?.sql ?? '';
  const tables = [...last.matchAll(TABLE_NAME)].map(([, name = '']) => name.split('.').at(-1));
  return [...asked.reverse().map(({ text }) => text), ...tables].join('\n');
}

/** Chooses what a question is given of the layer. */
export function questionRetrieval(ctx: PluginContext, layer: ReloadingLayer, contextBytes: number) {
  let isRanked = false;
  ctx.onReady(() => {
    isRanked = ctx.describe().hooks.some(({ id, taps }) => id === retrievalRank.id && taps.length > 0);
  });
  const optionsOf = (question: Question, scope: Scope, model: SemanticModel, maxBytes: number): ContextOptions => ({
    maxBytes,
    language: languageOfTurns(question.turns),
    ...(isRanked && { rerank: (entities) => reranked(ctx, { question, scope, model, entities }) }),
  });
  return {
    /** The trusted instructions and, as untrusted data, the layer or parts of it; together at most `contextBytes`. */
    async contextParts(question: Question, scope: Scope): Promise<readonly ContextPart[]> {
      const model = await layer.for(scope);
      const { notice } = model;
      const rules =
        notice === undefined
          ? INSTRUCTIONS
          : `${INSTRUCTIONS}\n- Tell the user, when it matters for the question: ${notice}`;
      const room = question.room?.contextBytes ?? contextBytes;
      const stepped = room < contextBytes ? room - (room % ROOM_STEP_BYTES) : contextBytes;
      const maxBytes = stepped - byteLength(rules);
      const options = optionsOf(question, scope, model, maxBytes);
      const { stable, perQuestion } = await layer.contextParts(model, wordsOf(question), options);
      const title = 'Semantic layer';
      const parts: ContextPart[] = [
        { title: 'How to use the semantic layer', text: rules, trusted: true },
        { title, text: stable, trusted: false },
      ];
      if (perQuestion === '') return parts;
      return [...parts, { title: `${title}, for this question`, text: perQuestion, trusted: false, perQuestion: true }];
    },

    async explain(question: Question, scope: Scope): Promise<Explanation> {
      const model = await layer.for(scope);
      const maxBytes = contextBytes - byteLength(INSTRUCTIONS);
      return layer.explain(model, wordsOf(question), optionsOf(question, scope, model, maxBytes));
    },
  };
}

interface Reranking {
  readonly question: Question;
  readonly scope: Scope;
  readonly model: SemanticModel;
  readonly entities: readonly ScoredEntity[];
}

/** The entities as the plugins rank them; those of no such name are left out. */
async function reranked(ctx: PluginContext, { question, scope, model, entities }: Reranking): Promise<ScoredEntity[]> {
  const known = new Map(entities.map((one) => [one.entity.name, one]));
  const asked: RankedEntities = {
    question: question.turns.at(-1)?.text ?? '',
    entities: entities.map(({ entity, score }) => ({ name: entity.name, score })),
  };
  const ranked = await ctx.call(retrievalRank, asked, scope);
  const visible = new Map(visibleModel(model).entities.map((entity) => [entity.name, entity]));
  const first = new Map(ranked.entities.toReversed().map((one) => [one.name, one]));
  return [...first.values()].toReversed().flatMap(({ name, score }) => {
    const entity = visible.get(name);
    return entity === undefined ? [] : [{ entity, score, parts: known.get(name)?.parts ?? [] }];
  });
}

const ExploreInput = Type.Object(
  {
    path: Type.String({
      maxLength: 400,
      description: 'a path, or `?` and words to search for',
    }),
  },
  { additionalProperties: false },
);

function exploreTool(layer: ReloadingLayer): AgentTool {
  return {
    name: 'explore',
    description:
      'Looks into the semantic layer: "entities/orders.yml" shows a file, "?customer churn" searches, "" lists all. Long texts come in pages: "entities#2".',
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
