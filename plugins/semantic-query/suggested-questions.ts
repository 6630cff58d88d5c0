/** Proposes questions that may follow an answer, from the parts of the semantic layer that the answer has read. */
import { messageOf, type Scope } from '../../kernel/index.ts';
import type { AgentEvent, Answer, Ask } from '../agent/index.ts';
import { type ModelDimension, type ModelEntity, type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from './plan.ts';
import { QUERY_METRICS } from './tool.ts';

const MAX_QUESTIONS = 3;
type VisibleModel = ReturnType<typeof visibleModel>;

/** A dimension with more values makes no table that is read. */
const MAX_VALUES = 50;

/** What an answer has read. */
interface Reading {
  readonly tables: Set<string>;
  /** What the last call of `queryMetrics` gave that ran. */
  plan?: QueryPlan;
}

/** The agent, wrapped: the answer to a question that was answered carries `suggestions`, where there are any. */
export function suggestingAgent(modelOf: (scope: Scope) => Promise<SemanticModel>, ask: Ask): Ask {
  return async function* (question, scope, isStreamed) {
    const calls = new Map<string, unknown>();
    const reading: Reading = { tables: new Set() };
    // The agent reads the same: this is asked for once a question.
    const model = modelOf(scope);
    model.catch(() => {});
    for await (const event of ask(question, scope, isStreamed)) {
      if (event.type === 'tool-call' && event.toolName === QUERY_METRICS) calls.set(event.toolCallId, event.args);
      if (event.type === 'tool-result') note(event, calls.get(event.toolCallId), reading);
      if (event.type !== 'finish') {
        yield event;
        continue;
      }
      const asked = question.turns.filter(({ role }) => role === 'user').map(({ text }) => text);
      yield { ...event, answer: await withSuggestions(event.answer, reading, asked, model, scope) };
    }
  };
}

function note({ statement }: Extract<AgentEvent, { type: 'tool-result' }>, plan: unknown, reading: Reading): void {
  if (statement === undefined) return;
  for (const table of statement.tables) reading.tables.add(table.toLowerCase());
  if (plan !== undefined) reading.plan = plan as QueryPlan;
}

async function withSuggestions(
  answer: Answer,
  reading: Reading,
  asked: readonly string[],
  model: Promise<SemanticModel>,
  { log }: Scope,
): Promise<Answer> {
  if (answer.outcome !== 'answered' || reading.tables.size === 0) return answer;
  try {
    const suggestions = suggestedQuestions(await model, reading, asked);
    return suggestions.length === 0 ? answer : { ...answer, suggestions };
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'No questions could be suggested.');
    return answer;
  }
}

/** `asked`: the questions so far, none of which is suggested. */
export function suggestedQuestions(
  model: SemanticModel,
  { tables, plan }: Reading,
  asked: readonly string[],
): string[] {
  const visible = visibleModel(model);
  const read = [...tables].flatMap((table) => entitiesByTable(visible).get(table) ?? []).map(({ entity }) => entity);
  const known = new Set(asked.map(plain));
  const suggested = new Map<string, string>();
  for (const question of [...breakdowns(visible, plan), ...commonQuestions(model, read)]) {
    if (!known.has(plain(question))) suggested.set(plain(question), question);
    if (suggested.size === MAX_QUESTIONS) break;
  }
  return [...suggested.values()];
}

type Named = Readonly<{ name: string; entity: ModelEntity }>;
const byTable = new WeakMap<VisibleModel, ReadonlyMap<string, readonly Named[]>>();

/** The entities by the name of their table in lower case, with and without its schema. */
function entitiesByTable(model: VisibleModel): ReadonlyMap<string, readonly Named[]> {
  const known = byTable.get(model);
  if (known !== undefined) return known;
  const named = model.entities.flatMap((entity) =>
    [entity.table, `${entity.schema ?? ''}.${entity.table}`].map((name) => ({ name: name.toLowerCase(), entity })),
  );
  const found = Map.groupBy(named, ({ name }) => name);
  byTable.set(model, found);
  return found;
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\s?.!]+/g, ' ')
    .trim();
const words = (name: string) => name.replaceAll('_', ' ');

/** The first measure of the plan by a dimension that it does not have, and by month. */
function breakdowns(model: VisibleModel, plan: QueryPlan | undefined): string[] {
  const [name] = plan?.measures ?? [];
  const found = name === undefined ? undefined : measureOf(model, name);
  if (found === undefined) return [];
  const { entity, label } = found;
  const used = new Set(plan?.dimensions?.map(({ dimension }) => dimension.toLowerCase().replace(/^.*\./, '')));
  const free = entity.dimensions.filter((dimension) => !used.has(dimension.name.toLowerCase()));
  const group = free.find(isGroup);
  const hasTime = plan?.dimensions?.some(({ grain }) => grain !== undefined) === true;
  const isOverTime = !hasTime && free.some(({ type }) => type === 'date' || type === 'timestamp');
  const subject = words(label).replace(/^./, (letter) => letter.toUpperCase());
  return [...(group ? [`${subject} by ${words(group.name)}`] : []), ...(isOverTime ? [`${subject} by month`] : [])];
}

const isGroup = ({ type, primary_key, references, mask, unique_count = 2 }: ModelDimension) =>
  type === 'string' &&
  !primary_key &&
  !references &&
  mask === undefined &&
  unique_count > 1 &&
  unique_count <= MAX_VALUES;

/** A measure by `entity.measure`, its own name, or a metric's id, as a question names it. */
function measureOf(model: VisibleModel, name: string): { entity: ModelEntity; label: string } | undefined {
  const entityOf = (wanted: string) => model.entities.find((one) => one.name.toLowerCase() === wanted.toLowerCase());
  const metric = model.metrics.find(({ id }) => id.toLowerCase() === name.toLowerCase());
  if (metric !== undefined) {
    const entity = entityOf(metric.entity ?? '');
    return entity && { entity, label: metric.label ?? metric.id };
  }
  const own = name.replace(/^.*\./, '').toLowerCase();
  const owners = model.entities.filter(({ measures }) =>
    measures.some((measure) => measure.name.toLowerCase() === own),
  );
  const entity = name.includes('.') ? entityOf(name.slice(0, -own.length - 1)) : owners[0];
  if (entity === undefined) return undefined;
  // Every entity has a count of its rows.
  if (!owners.includes(entity)) return own === 'count' ? { entity, label: `number of ${entity.name}` } : undefined;
  return { entity, label: owners.length > 1 ? `${own} of ${entity.name}` : own };
}

function commonQuestions({ catalog }: SemanticModel, entities: readonly ModelEntity[]): string[] {
  const names = new Set(entities.map(({ name }) => name.toLowerCase()));
  return (catalog?.entities ?? [])
    .filter(({ name }) => names.has(name.toLowerCase()))
    .flatMap(({ common_questions = [] }) => common_questions);
}
