/** Prepares a question before the first step: its connections, model, tools and instructions. */
import type { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import {
  AtlasError,
  type Collected,
  type ConnectionInfo,
  type ContextPart,
  contextCollect,
  datasourceList,
  modelResolve,
  type PluginContext,
  type Question,
  questionBefore,
  type ResolvedModel,
  type Scope,
  toolsCollect,
} from '../../kernel/index.ts';
import type { ModelName } from '../model-kit/index.ts';
import { findDialect } from '../sql-kit/index.ts';
import type { Prompt } from './api.ts';
import { chosenByNumber } from './clarification.ts';
import { messagesWithin, promptSizes, toolsWithin, withRoom } from './context-size.ts';
import { languagePart } from './language.ts';
import { lastQueryPart } from './last-query.ts';
import type { AgentOptions } from './options.ts';
import { chatMessages, questionContext, RULES, type SystemMessage, systemMessages, textMarks } from './prompt.ts';
import { type Toolbox, toolboxes } from './tools/toolbox.ts';

/** What a question needs before its first step. */
export interface Preparation {
  readonly question: Question;
  readonly model: LanguageModelV4;
  readonly modelName: ModelName;
  /** It is not the server's own. */
  readonly isChosen: boolean;
  /** It reads the question itself, and always in the same way. */
  readonly isOffline: boolean;
  readonly tools: Toolbox;
  /** The tools as the model gets them. */
  readonly definitions: LanguageModelV4FunctionTool[];
  readonly system: SystemMessage;
  /** The conversation, ending with the question. */
  readonly messages: readonly LanguageModelV4Message[];
  /** How much of one result the model sees. */
  readonly resultBytes: number;
  /** Leaves out of messages what a small model has no room for any more. */
  fitted(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[];
}

export type Prepare = (question: Question, scope: Scope) => Promise<Preparation>;

/** Collects what the loop needs. Rejects a question that cannot be answered before a model is called. */
export function preparation(ctx: PluginContext, options: AgentOptions): Prepare {
  const toolboxOf = toolboxes();
  const markOf = textMarks(options.markSecret);
  const systemMessage = systemMessages();
  return async (asked, scope) => {
    const before = await ctx.call(questionBefore, asked, scope);
    checkLength(before, options.questionBytes);
    const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
    checkConnection(before, connections);
    const [resolved, collected] = await Promise.all([
      ctx.call(modelResolve, before, scope),
      ctx.call(toolsCollect, before, scope),
    ]);
    const model = languageModel(resolved);
    const sizes = promptSizes(options, resolved?.contextTokens);
    checkLength(before, sizes.questionBytes);
    const tools = toolboxOf(collected);
    const definitions =
      sizes.small === undefined ? tools.definitions : toolsWithin(tools.definitions, sizes.small.toolsBytes);
    const question = withRoom(before, sizes, RULES, definitions);
    const [everyQuestion, thisQuestion] = parted(await ctx.call(contextCollect, question, scope), question);
    const { small, historyBytes, resultBytes } = sizes;
    const messageBytes = small && small.promptBytes - Buffer.byteLength(JSON.stringify(definitions));
    const chat = chatMessages(question.turns, historyBytes, questionContext(thisQuestion, markOf));
    return {
      question,
      model,
      modelName: { provider: (resolved as ResolvedModel).provider, modelId: model.modelId },
      isChosen: resolved?.isChosen === true,
      isOffline: resolved?.isOffline === true,
      tools,
      definitions,
      system: systemMessage({
        connections: await Promise.all(connections.map((connection) => withEngine(ctx, connection, scope))),
        context: everyQuestion,
        now: ctx.now(),
        markOf,
      }),
      messages: chat,
      resultBytes,
      fitted: (messages) =>
        messageBytes === undefined ? [...messages] : messagesWithin(messages, chat.length, messageBytes),
    };
  };
}

/** The parts of the first request: what is the same for every question comes first. */
export function promptOf({ modelName, definitions, system, messages }: Preparation): Prompt {
  const part = (title: string, text: string) => ({ title, text, bytes: Buffer.byteLength(text) });
  const parts = [
    part('tools', JSON.stringify(definitions)),
    part('instructions', system.content as string),
    ...messages.map(({ role, content }) => part(role, textOf(content))),
  ];
  const bytes = parts.reduce((sum, one) => sum + one.bytes, 0);
  return { model: `${modelName.provider}/${modelName.modelId}`, bytes, parts };
}

const textOf = (content: LanguageModelV4Message['content']): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The context that is the same for every question, and that of this one. */
function parted(
  collected: readonly Collected<ContextPart>[],
  { connectionId, turns, room }: Question,
): [ContextPart[], ContextPart[]] {
  const parts = collected.map(({ value }) => value);
  const ofQuestion = parts.filter(({ perQuestion }) => perQuestion === true);
  ofQuestion.push(...languagePart(turns), ...lastQueryPart(turns, room?.resultBytes ?? Number.POSITIVE_INFINITY));
  const chosen = chosenByNumber(turns);
  if (chosen !== undefined) {
    ofQuestion.push({
      title: 'What the number in the question chooses',
      text: chosen,
      trusted: false,
      perQuestion: true,
    });
  }
  if (connectionId !== undefined) {
    const text = `The question is about the connection ${connectionId}.`;
    ofQuestion.push({ title: 'Connection', text, trusted: true });
  }
  return [parts.filter(({ perQuestion }) => perQuestion !== true), ofQuestion];
}

async function withEngine(ctx: PluginContext, { dbType, ...connection }: ConnectionInfo, scope: Scope) {
  const dialect = await findDialect(ctx, dbType, scope);
  const advice = dialect?.advice;
  return { ...connection, engine: dialect?.label ?? dbType, ...(advice !== undefined && { advice }) };
}

function checkLength(question: Question, questionBytes: number): void {
  const text = question.turns.at(-1)?.text ?? '';
  if (text.trim() === '') throw new AtlasError('The question is empty.', { code: 'invalid_request' });
  if (Buffer.byteLength(text) > questionBytes) {
    throw new AtlasError(`The question is longer than ${questionBytes} bytes.`, {
      code: 'invalid_request',
      hint: 'Shorten it, or put the data into a table.',
    });
  }
}

function checkConnection({ connectionId }: Question, connections: readonly ConnectionInfo[]): void {
  if (connections.length === 0) {
    throw new AtlasError('No datasource is configured.', {
      code: 'no_datasource',
      hint: 'Set SVC_DATASOURCE_URL to the database to ask, and start again.',
    });
  }
  if (connectionId !== undefined && !connections.some(({ id }) => id === connectionId)) {
    const known = connections.map(({ id }) => id).join(', ');
    throw new AtlasError(`There is no connection "${connectionId}"; known: ${known}.`, { code: 'invalid_request' });
  }
}

function languageModel(resolved: ResolvedModel | undefined): LanguageModelV4 {
  if (resolved === undefined) {
    throw new AtlasError('No model is configured, so questions cannot be answered.', {
      code: 'configuration_error',
      hint: 'Add a model plugin to the configuration, such as model-openai or model-offline.',
    });
  }
  const { specificationVersion, provider } = resolved.model;
  if (specificationVersion !== 'v4') {
    throw new AtlasError(
      `The model of "${provider}" has version ${specificationVersion} of the AI SDK's provider interface; expected v4.`,
      {
        code: 'configuration_error',
        hint: 'Update the provider package.',
      },
    );
  }
  return resolved.model as LanguageModelV4;
}
