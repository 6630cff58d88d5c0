/** Serves questions to choose from: those of the catalog, and those of the prompt collections. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Scope } from '../../kernel/index.ts';
import type { PromptCollectionWithItems, Prompts } from '../admin-prompts/index.ts';
import { type SemanticLayerApi, visibleModel } from '../semantic-layer/index.ts';
import type { Sdk } from './sdk.ts';

export interface PromptsInit {
  readonly sdk: Sdk;
  readonly layer: SemanticLayerApi;
  readonly prompts: Prompts | undefined;
}

interface Prompt {
  readonly name: string;
  readonly question: string;
  readonly description: string;
}

/** Prompts that a list shows. */
const MAX_PROMPTS = 100;
const MAX_COLLECTIONS = 50;

/** Common questions of entities that users may see. */
async function catalogPrompts(layer: SemanticLayerApi, scope: Scope): Promise<Prompt[]> {
  const model = await layer.for(scope);
  const visible = new Set(visibleModel(model).entities.map(({ name }) => name));
  return (model.catalog?.entities ?? [])
    .filter(({ name }) => visible.has(name))
    .flatMap(({ name, common_questions = [] }) =>
      common_questions.map((question, index) => ({ name: `${name}-${index + 1}`, question, description: question })),
    );
}

const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const collected = ({ name, items }: PromptCollectionWithItems): Prompt[] =>
  items.map(({ question, description }, index) => ({
    ...{ name: `${slugOf(name) || 'prompts'}-${index + 1}`, question, description: description ?? question },
  }));

/** Each question once, those of the organization first; names that are taken get a number. */
async function promptsFor({ layer, prompts }: PromptsInit, scope: Scope): Promise<ReadonlyMap<string, Prompt>> {
  const { collections = [] } = (await prompts?.list(scope, { limit: MAX_COLLECTIONS, offset: 0 })) ?? {};
  const { own = [], others = [] } = Object.groupBy(collections, ({ isBuiltin }) => (isBuiltin ? 'others' : 'own'));
  const all = [...own.flatMap(collected), ...(await catalogPrompts(layer, scope)), ...others.flatMap(collected)];
  const byName = new Map<string, Prompt>();
  const questions = new Set<string>();
  for (const prompt of all) {
    if (byName.size === MAX_PROMPTS || questions.has(prompt.question)) continue;
    questions.add(prompt.question);
    let name = prompt.name;
    for (let number = 2; byName.has(name); number += 1) name = `${prompt.name}-${number}`;
    byName.set(name, { ...prompt, name });
  }
  return byName;
}

/** Answers lists and single prompts when they are asked for, so that a long connection sees new ones. */
export function servePrompts({ server }: McpServer, init: PromptsInit, scopeOf: () => Scope): void {
  const { ProtocolError, ProtocolErrorCode } = init.sdk;
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: Array.from((await promptsFor(init, scopeOf())).values(), ({ name, question, description }) => ({
      ...{ name, title: question, description },
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name } }) => {
    const prompt = (await promptsFor(init, scopeOf())).get(name);
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}".`);
    const { question, description } = prompt;
    return { description, messages: [{ role: 'user', content: { type: 'text', text: question } }] };
  });
}
