/** Proposes synonyms: words of questions that lead to the same column, and names that statements got wrong first. */
import { setImmediate } from 'node:timers/promises';
import {
  type ModelDimension,
  type ModelEntity,
  type SemanticModel,
  stem,
  visibleModel,
} from '../semantic-layer/index.ts';
import { fold } from '../sql-kit/index.ts';
import { type Log, type LoggedStatement, supporting } from './log.ts';
import { MAX_NAME, type SynonymProposal } from './proposal.ts';
import { Seen, type Sign } from './seen.ts';
import { questionsOf } from './turns.ts';
import { GENERAL_WORDS, namedStems, stemsOf } from './words.ts';

/** Share of the questions with a word that must lead to the same column. */
const MIN_SHARE = 0.8;
/** Words of one column that are compared with each other, the most frequent ones. */
const MAX_WORDS = 100;
/** Questions that are read before other requests have their turn. */
const BATCH = 25;

type Member = SynonymProposal['member'];

interface Target {
  readonly entity: ModelEntity;
  readonly member: Member;
  /** Its names and synonyms. */
  readonly called: readonly string[];
}

const calledOf = ({ name, synonyms = [] }: { readonly name: string; readonly synonyms?: readonly string[] }) => [
  name,
  ...synonyms,
];

const keyOf = ({ entity, member }: Target) => [entity.source, entity.name, member?.list, member?.name].join('\n');

const nameOf = ({ entity, member }: Pick<Target, 'entity' | 'member'>) =>
  member === null ? entity.name : `${entity.name}.${member.name}`;

/** The measures and dimensions that a statement is about: what it aggregates, and what it groups by. */
function targetsOf({ use, aggregates }: LoggedStatement): Target[] {
  const targets = new Map<string, Target>();
  const add = (target: Target) => targets.set(keyOf(target), target);
  for (const { entity, columns, measure } of aggregates) {
    const [column] = columns;
    if (measure !== undefined) {
      const parts = columns.flatMap(({ name, dimension }) => (dimension === undefined ? name : calledOf(dimension)));
      add({ entity, member: { list: 'measures', name: measure.name }, called: [...calledOf(measure), ...parts] });
    } else if (columns.length === 1 && column?.dimension !== undefined) {
      add(dimensionTarget(entity, column.dimension));
    }
  }
  for (const { entity, dimension } of use.groups) if (dimension !== undefined) add(dimensionTarget(entity, dimension));
  return [...targets.values()];
}

const dimensionTarget = (entity: ModelEntity, dimension: ModelDimension): Target => ({
  ...{ entity, member: { list: 'dimensions', name: dimension.name }, called: calledOf(dimension) },
});

/** Words of a question that may be names; never ones with a capital within a sentence, with digits, or in a literal. */
function wordsOf({ question, literalWords }: Evidence): string[] {
  const words = question.match(/[\p{L}\p{M}\p{N}_'’-]+/gu) ?? [];
  const isPlain = (word: string, at: number) => /^[\p{Ll}\p{M}]{3,40}$/u.test(at === 0 ? word.toLowerCase() : word);
  return [...new Set(words.filter(isPlain).map((word) => word.toLowerCase()))].filter(
    (word) => stem(word) !== null && !GENERAL_WORDS.has(word) && !literalWords.has(word),
  );
}

/** A question with what it turned out to be about. */
interface Evidence extends Sign {
  readonly question: string;
  readonly targets: readonly Target[];
  /** Words of texts in the statement. */
  readonly literalWords: ReadonlySet<string>;
}

const evidenceOf = (statement: LoggedStatement): Evidence[] => {
  const { person, day, use } = statement;
  const targets = targetsOf(statement);
  return questionsOf(statement).map((question) => ({
    ...{ id: `${statement.turn?.id}`, person, day, question, targets, literalWords: use.literalWords },
  }));
};

/**
 * What users name in the reason for which an answer is bad, beside what it used. Of the reason only names of the layer are
 * read, and of those none of what is hidden or masked.
 */
async function evidenceOfReasons({ turns, statements }: Log, model: SemanticModel): Promise<Evidence[]> {
  const rated = turns.filter(({ answer }) => answer?.feedback?.rating === 'bad' && answer.feedback.reason !== null);
  if (rated.length === 0) return [];
  const members = membersOf(model);
  const byTurn = Map.groupBy(statements, ({ turn }) => turn);
  const evidence: Evidence[] = [];
  for (const [at, turn] of rated.entries()) {
    if (at % BATCH === 0) await setImmediate();
    const used = byTurn.get(turn) ?? [];
    const usedKeys = new Set(used.flatMap(targetsOf).map(keyOf));
    const said = stemsOf([turn.answer?.feedback?.reason ?? '']);
    const isNamed = ({ names }: (typeof members)[number]) => names.some((name) => name.isSubsetOf(said));
    const targets = members
      .filter((one) => isNamed(one) && !usedKeys.has(keyOf(one.target)))
      .map(({ target }) => target);
    const { id, person, day, text: question } = turn;
    // What no row has is no value: it was looked for.
    const found = used.filter(({ entry }) => entry.rowCount > 0);
    const literalWords = new Set(found.flatMap(({ use }) => [...use.literalWords]));
    evidence.push({ id, person, day, question, targets, literalWords });
  }
  return evidence;
}

/** The dimensions and measures that may be shown, with the stems of each of their names. */
function membersOf(model: SemanticModel) {
  const entities = new Map(model.entities.map((entity) => [entity.file, entity]));
  return visibleModel(model).entities.flatMap((shown) => {
    const entity = entities.get(shown.file) ?? shown;
    const lists = { dimensions: shown.dimensions.filter(({ mask }) => mask === undefined), measures: shown.measures };
    return (['dimensions', 'measures'] as const).flatMap((list) =>
      lists[list].map((member) => {
        const called = calledOf(member);
        const names = called.map((one) => stemsOf([one])).filter(({ size }) => size > 0);
        const target: Target = { entity, member: { list, name: member.name }, called };
        return { target, names };
      }),
    );
  });
}

/** Words beside those that the layer knows lead to a column when nothing else of the statement is left to name. */
export async function proposeFromQuestions(log: Log, model: SemanticModel): Promise<SynonymProposal[]> {
  const named = namedStems(model);
  const seen = new Seen<{ readonly word: string; readonly target: Target }>(log);
  const asked = new Seen<string>(log);
  const all = [...supporting(log).flatMap(evidenceOf), ...(await evidenceOfReasons(log, model))];
  for (const [at, evidence] of all.entries()) {
    if (at % BATCH === 0) await setImmediate();
    const inQuestion = stemsOf([evidence.question]);
    const unnamed = wordsOf(evidence).filter((word) => !named.has(stem(word) ?? ''));
    for (const word of unnamed) asked.add(word, word, evidence);
    const left = evidence.targets.filter(({ called }) => stemsOf(called).isDisjointFrom(inQuestion));
    const [target] = left;
    if (left.length !== 1 || target === undefined) continue;
    for (const word of unnamed) seen.add(keyOfWord(target, word), { word, target }, evidence);
  }
  // A word that is often said with other columns, too, names none of them.
  const proposed = seen.frequent().filter((one) => one.seen >= MIN_SHARE * asked.count(one.value.word));
  const perTarget = Map.groupBy(proposed, ({ value }) => keyOf(value.target));
  const compared = new Map([...perTarget].map(([key, words]) => [key, words.slice(0, MAX_WORDS)]));
  return proposed.flatMap((one): SynonymProposal[] => {
    const { value, ...counts } = one;
    const { word, target } = value;
    const words = compared.get(keyOf(target)) ?? [];
    if (!words.includes(one)) return [];
    const others = words.filter((other) => other !== one);
    // Where a word always comes with another one, it is not known which is the name.
    const isAccompanied = others.some((other) =>
      seen.isWithin(keyOfWord(target, word), keyOfWord(target, other.value.word)),
    );
    return isAccompanied ? [] : [synonymOf(target, word, counts)];
  });
}

const keyOfWord = (target: Target, word: string) => `${keyOf(target)}\n${word}`;

const synonymOf = (target: Target, value: string, counts: Pick<SynonymProposal, 'seen' | 'support'>) => {
  const { entity: owner, member } = target;
  return { kind: 'synonym' as const, owner, member, ...counts, summary: `"${value}" for ${nameOf(target)}`, value };
};

/** A name as people say it. */
const spoken = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_$]+/g, ' ')
    .trim()
    .toLowerCase();

/** A wrong name in a statement that failed, and the one right name that replaced it in the next one of the request. */
export function proposeFromRepairs(log: Log, model: SemanticModel): SynonymProposal[] {
  const seen = new Seen<Target & { readonly wrong: string }>(log);
  const hidden = new Set(
    model.entities.flatMap(({ dimensions }) =>
      dimensions.filter(({ hidden: is, mask }) => is === true || mask !== undefined).map(({ name }) => fold(name)),
    ),
  );
  for (const group of Map.groupBy(log.statements, ({ entry }) => entry.requestId).values()) {
    for (const [index, failed] of group.entries()) {
      if (failed.entry.success) continue;
      const worked = group.slice(index + 1).find(({ entry }) => entry.success);
      if (worked === undefined || worked.isRejected) continue;
      for (const repaired of repairsOf(failed, worked)) {
        if (!hidden.has(fold(repaired.wrong)))
          seen.add(`${keyOf(repaired)}\n${fold(repaired.wrong)}`, repaired, worked);
      }
    }
  }
  const named = namedStems(model);
  return seen.frequent().flatMap(({ value, ...counts }): SynonymProposal[] => {
    const word = spoken(value.wrong);
    const isKnown =
      value.called.some((name) => spoken(name) === word) || (!word.includes(' ') && named.has(stem(word) ?? word));
    // A name of more words may be a sentence.
    const isName = word.length <= MAX_NAME && /^[\p{Ll}\p{M}\p{N}]{3,}(?: [\p{Ll}\p{M}\p{N}]+){0,2}$/u.test(word);
    return isKnown || !isName ? [] : [synonymOf(value, word, counts)];
  });
}

function repairsOf(failed: LoggedStatement, worked: LoggedStatement): (Target & { wrong: string })[] {
  const repairs: (Target & { wrong: string })[] = [];
  for (const [entity, wrong] of Map.groupBy(failed.use.unknownColumns, (one) => one.entity)) {
    const names = new Set(wrong.map(({ name }) => fold(name)));
    const fresh = new Set(
      worked.use.columns
        .filter((one) => one.entity === entity && !failed.use.names.has(fold(one.name)))
        .flatMap(({ dimension }) => dimension ?? []),
    );
    const [name] = names;
    const [dimension] = fresh;
    if (names.size !== 1 || fresh.size !== 1 || name === undefined || dimension === undefined) continue;
    // An engine takes a value in double quotes for a column.
    if (worked.use.literalWords.has(name)) continue;
    repairs.push({ ...dimensionTarget(entity, dimension), wrong: name });
  }
  const tables = new Set(failed.use.unknownTables.map(fold));
  const added = [...worked.use.entities].filter((entity) => !failed.use.entities.has(entity));
  const [table] = tables;
  const [entity] = added;
  if (tables.size === 1 && added.length === 1 && table !== undefined && entity !== undefined)
    repairs.push({ entity, member: null, called: calledOf(entity), wrong: table });
  return repairs;
}
