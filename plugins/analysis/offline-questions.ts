/** Reads questions that the tools answer, where there is no language model: "why did … drop in …", "compare …", "forecast …". */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Question } from '../../kernel/index.ts';
import { type Recognition, type ReaderStep as Step, withoutContext } from '../agent/index.ts';
import { offlineReader } from '../model-offline/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from '../semantic-query/index.ts';
import { analysisText } from './offline-answer.ts';
import { periodText } from './periods.ts';

const { readQuestionInTurns } = await offlineReader();

const MOVED =
  'drop|dropped|fall|fallen|decline|declined|decrease|decreased|shrink|sink|rise|risen|grow|grown|increase|increased|jump|change|changed|go up|go down|lower|higher|up|down';
const WHY = new RegExp(
  `^\\s*why (?:did|has|have|is|are|was|were) (?:the |our )?(.+?) (?:so |much )*(?:${MOVED})\\b(.*)$`,
  'i',
);
const COMPARE =
  /^\s*compare (?:the |our )?(.+?) (?:in|for|of|between) (.+?) (?:and|with|to|against|vs\.?|versus) (.+?)(?: by (.+?))?\s*[?.!]*$/i;
const FORECAST =
  /^\s*(?:forecast|predict|project) (?:the |our )?(.+?) (?:for|over|in) the (?:next|coming) (?:(\d{1,2}|two|three|four|six|twelve) )?(day|week|month|quarter)s?\s*[?.!]*$/i;
const NUMBERS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, six: 6, twelve: 12 };
const MAX_CHARS = 300;

export interface OfflineQuestionsInit {
  model(): Promise<SemanticModel>;
  now(): number;
}

type Read = (text: string) => ReturnType<typeof readQuestionInTurns>;
type Understood = (plan: QueryPlan, read: Read) => Promise<object | undefined> | object | undefined;

/** What a question asks of a tool: the part that the reader of questions reads, and what is made of its plan. */
function asked(text: string): { readonly tool: string; readonly part: string; readonly input: Understood } | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const [, why, rest = ''] = WHY.exec(text) ?? [];
  if (why !== undefined)
    return { tool: 'explainChange', part: `${why}${rest.replace(/[?!.\s]+$/, '')}`, input: explained };
  const [, compared, a = '', b = '', by] = COMPARE.exec(text) ?? [];
  if (compared !== undefined) {
    const part = `${compared} in ${a}${by === undefined ? '' : ` by ${by}`}`;
    return { tool: 'compare', part, input: (plan, read) => comparison(plan, b, read) };
  }
  const [, future, count = '1', grain = ''] = FORECAST.exec(text) ?? [];
  if (future === undefined) return undefined;
  const horizon = NUMBERS[count.toLowerCase()] ?? Number(count);
  return {
    tool: 'forecast',
    part: `${future} by ${grain}`,
    input: (plan) => continued(plan, grain.toLowerCase(), horizon),
  };
}

/** Only what the tools take as well: a plan with more in it would lose a part of the question. */
function conditionsOf(plan: QueryPlan, ...own: readonly (keyof QueryPlan)[]): object | undefined {
  const { measures = [], filters = [], segments = [], joinPath } = plan;
  const known = new Set<string>(['measures', 'filters', 'segments', 'joinPath', ...own]);
  const isWhole = Object.entries(plan).every(
    ([key, value]) => known.has(key) || value === undefined || (Array.isArray(value) && value.length === 0),
  );
  if (!isWhole || measures.length !== 1) return undefined;
  return {
    measure: measures[0],
    ...(filters.length > 0 && { filters }),
    ...(segments.length > 0 && { segments }),
    ...(joinPath && { joinPath }),
  };
}

function periodIn({ timeRange }: QueryPlan): { readonly time: string; readonly period: string } | undefined {
  const { dimension: time = '', from, to } = timeRange ?? {};
  const isDay = (text?: string): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text);
  return isDay(from) && isDay(to) ? { time, period: periodText(from, to) } : undefined;
}

function explained(plan: QueryPlan): object | undefined {
  const common = conditionsOf(plan, 'timeRange', 'comparison');
  const range = periodIn(plan);
  const { from, to } = plan.comparison ?? {};
  const against = from === undefined || to === undefined ? {} : { against: periodText(from, to) };
  return common && range && { ...common, ...range, ...against };
}

/** The second side is read with the measure and the year of the first, where it names none. */
async function comparison(plan: QueryPlan, other: string, read: Read): Promise<object | undefined> {
  const common = conditionsOf(plan, 'timeRange', 'dimensions');
  const first = periodIn(plan);
  if (common === undefined || first === undefined) return undefined;
  const measure = String(plan.measures?.[0]).replace(/^.*\./, '').replaceAll('_', ' ');
  const year = /\d{4}/.test(other) ? '' : ` ${first.period.slice(0, 4)}`;
  const second = await read(`${measure} in ${other}${year}`);
  const range = second.kind === 'plan' ? periodIn(second.plan) : undefined;
  if (range === undefined || range.time !== first.time) return undefined;
  const dimensions = (plan.dimensions ?? []).map(({ dimension }) => dimension);
  return {
    ...common,
    a: first.period,
    b: range.period,
    time: first.time,
    ...(dimensions.length > 0 && { dimensions }),
  };
}

function continued(plan: QueryPlan, grain: string, horizon: number): object | undefined {
  const common = conditionsOf(plan, 'dimensions');
  const [time, more] = plan.dimensions ?? [];
  if (common === undefined || time?.grain !== grain || more !== undefined) return undefined;
  return { ...common, grain, horizon, time: time.dimension };
}

/** Reads the last message, and replies to what was asked back about a message before. */
async function stepFor(messages: readonly string[], { model, now }: OfflineQuestionsInit): Promise<Step | undefined> {
  const at = messages.findLastIndex((message) => asked(message) !== undefined);
  const question = at < 0 ? undefined : asked(messages[at]!);
  if (question === undefined) return undefined;
  const layer = await model();
  const circumstances = { now: new Date(now()) };
  const replies = messages.slice(at + 1);
  for (const count of replies.keys()) {
    const before = await readQuestionInTurns([question.part, ...replies.slice(0, count)], layer, circumstances);
    if (before.kind !== 'clarify') return undefined;
  }
  const reading = await readQuestionInTurns([question.part, ...replies], layer, circumstances);
  if (reading.kind === 'clarify') {
    const choices = reading.choices.map((choice, index) => `${index + 1}. ${choice}`);
    return { text: [reading.question, ...choices].join('\n'), outcome: 'clarify' };
  }
  if (reading.kind !== 'plan') return undefined;
  const read: Read = (text) => readQuestionInTurns([text], layer, circumstances);
  const input = await question.input(reading.plan, read);
  return input && { calls: [{ toolName: question.tool, input: JSON.stringify(input) }] };
}

/** The texts of the user, and since the last of them the result of each tool. */
function conversationIn(prompt: LanguageModelV4CallOptions['prompt']) {
  const messages: string[] = [];
  const results = new Map<string, unknown>();
  for (const { role, content } of prompt) {
    if (role === 'user') {
      const text = withoutContext(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
      messages.push(...text.split(/\n\s*\n/).filter((part) => part.trim() !== ''));
      results.clear();
    } else if (role === 'tool') {
      for (const part of content)
        if (part.type === 'tool-result' && part.output.type === 'json') results.set(part.toolName, part.output.value);
    }
  }
  return { messages, results };
}

/** Answers these questions, and leaves all others to the reader. */
export function analysisRecognition(init: OfflineQuestionsInit): Recognition {
  return async ({ prompt, tools = [] }, read) => {
    const { messages, results } = conversationIn(prompt);
    const step = await stepFor(messages, init);
    const [call] = step !== undefined && 'calls' in step ? step.calls : [];
    if (step === undefined || call === undefined) return step ?? read();
    if (results.has(call.toolName)) return { text: analysisText(call.toolName, results.get(call.toolName)) };
    return tools.some(({ name }) => name === call.toolName) ? step : read();
  };
}

/** Whether a question, or one before that it replies to, is one of these. */
export const isAnalysis = ({ turns }: Question) =>
  turns.some(({ role, text }) => role === 'user' && asked(text) !== undefined);
