/** Finds questions that a fresh layer answers, by asking them: the offline model reads the layer and the database. */
import { type AtlasConfig, type CreateAppOptions, createApp } from '../../../kernel/index.ts';
import { isCopy, plural, singular, spoken } from '../../profile-kit/index.ts';
import type { ModelEntity, SemanticModel } from '../../semantic-layer/index.ts';
import { datasourcesOf } from '../profile/profile.ts';

const WANTED = 3;
const MAX_TRIED = 15;
const MAX_MS = 20_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_CHARS = 160;

export interface TriedQuestion {
  readonly question: string;
  /** Its beginning, in one line. */
  readonly answer: string;
}

const isTime = ({ type }: ModelEntity['dimensions'][number]) => type === 'date' || type === 'timestamp';
const isCategory = ({ sample_values: values = [], hidden }: ModelEntity['dimensions'][number]) =>
  values.length > 1 && hidden !== true;

/** Questions of a kind, the most promising first. */
type Kind = (entities: readonly ModelEntity[], model: SemanticModel) => readonly string[];

const people = ({ name }: ModelEntity) => spoken(plural(name));

const KINDS: readonly Kind[] = [
  (entities) => entities.map((entity) => `How many ${people(entity)} are there?`),
  (entities, model) =>
    entities.flatMap((entity) => {
      const sum =
        entity.measures.find(({ type }) => type === 'sum') ?? entity.measures.find(({ type }) => type === 'avg');
      if (sum === undefined) return [];
      const own = entity.dimensions.filter(isCategory).map(({ name }) => spoken(name));
      const joined = entity.joins.flatMap(({ target }) =>
        (model.entity(target)?.dimensions ?? [])
          .filter(isCategory)
          .map(({ name }) => `${spoken(singular(target))} ${spoken(name)}`),
      );
      return [...own, ...joined].slice(0, 2).map((by) => `What is the ${spoken(sum.name)} by ${by}?`);
    }),
  (entities) =>
    entities
      .filter(({ dimensions }) => dimensions.some(isTime))
      .map((entity) => `How many ${people(entity)} were there per month?`),
  (entities) =>
    entities.flatMap((entity) =>
      entity.dimensions
        .filter(isCategory)
        .slice(0, 1)
        .map(({ name }) => `How many ${people(entity)} by ${spoken(name)}?`),
    ),
];

/** Facts come first and views last; of equals, those that others refer to and that have numbers. */
function inOrder(model: SemanticModel, source: string): ModelEntity[] {
  const weight = ({ type, joins, measures, dimensions }: ModelEntity) =>
    (type === 'fact' ? 20 : type === 'view' ? -20 : 0) +
    2 * joins.length +
    Math.min(measures.length, 4) +
    (dimensions.some(isTime) ? 2 : 0) +
    (dimensions.some(isCategory) ? 1 : 0);
  return model.entities
    .filter((entity) => entity.source === source && !isCopy(entity.name))
    .map((entity) => ({ entity, weight: weight(entity) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ entity }) => entity);
}

/** One question of each kind in turn, then the second of each. */
function candidates(model: SemanticModel, source: string): { readonly kind: number; readonly question: string }[] {
  const entities = inOrder(model, source).slice(0, MAX_TRIED);
  const lists = KINDS.map((kind) => kind(entities, model));
  return entities.flatMap((_, row) =>
    lists.flatMap((list, kind) => (list[row] === undefined ? [] : [{ kind, question: list[row] }])),
  );
}

/** The first line of an answer; of one that introduces a list also the beginning of the list. */
function inOneLine(text: string): string {
  const [first = '', ...others] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Read as:'));
  const line = first.endsWith(':') ? `${first} ${others.map((item) => item.replace(/^[-*•] /, '')).join('; ')}` : first;
  return line.length > MAX_ANSWER_CHARS ? `${line.slice(0, MAX_ANSWER_CHARS)}…` : line;
}

/**
 * Asks until three questions are answered. A question counts only when its answer has rows; none are found where row
 * security leaves nothing to a login without a user.
 */
export async function triedQuestions(
  config: AtlasConfig,
  { log: _, ...options }: CreateAppOptions,
  layer: { readonly dir: string; readonly source: string },
  signal: AbortSignal,
): Promise<TriedQuestion[]> {
  const { semanticLayer } = await import('../../semantic-layer/index.ts');
  const { semanticQuery } = await import('../../semantic-query/index.ts');
  const { sqlGuard } = await import('../../sql-guard/index.ts');
  const { sqlLimits } = await import('../../sql-limits/index.ts');
  const { modelOffline } = await import('../../model-offline/index.ts');
  const { grounding } = await import('../../grounding/index.ts');
  const { agent } = await import('../../agent/index.ts');
  const kept = [
    ...datasourcesOf(config),
    ...config.plugins.filter(({ definition }) => definition.name === 'row-security'),
  ];
  const asking = [
    semanticLayer({ dir: layer.dir, checkIntervalMs: 0, watchIntervalMs: 0 }),
    semanticQuery(),
    sqlLimits({ timeoutMs: STATEMENT_TIMEOUT_MS }),
    sqlGuard(),
    modelOffline(),
    grounding(),
    agent(),
  ];
  await using app = await createApp({ plugins: [...kept, ...asking] }, { ...options, until: 'sealed' });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  const model = await app.get(semanticLayer).modelFor(null);
  const answered: TriedQuestion[] = [];
  const kinds = new Set<number>();
  for (const { kind, question } of candidates(model, layer.source).slice(0, MAX_TRIED)) {
    if (answered.length === WANTED || deadline.aborted) break;
    if (kinds.has(kind)) continue;
    const scope = app.scope({
      signal: deadline,
      actor: { id: null, label: null, role: 'admin', mode: 'none', claims: {} },
    });
    try {
      const { outcome, text, data } = await app
        .get(agent)
        .answer({ turns: [{ role: 'user', text: question }], surface: 'cli' }, scope);
      if (outcome !== 'answered' || !data.some(({ rows }) => rows.length > 0)) continue;
      answered.push({ question, answer: inOneLine(text) });
      kinds.add(kind);
    } catch {
      signal.throwIfAborted();
    }
  }
  return answered;
}
