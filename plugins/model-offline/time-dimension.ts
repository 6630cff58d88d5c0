/** Which date of an entity a time is about when the question does not say. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import { isBirth } from './entity-traits.ts';
import { type EntityEntry, isTime } from './lexicon.ts';
import { nameWords, root, stem } from './words.ts';

const BOOKKEEPING = /^(updated|modified|changed|deleted|synced|imported|loaded|birth|expires?|expiry|valid|due)/;
/** What ends or follows a row does not stand for it. */
const ENDS =
  /(^|_)(closed|ended?|end|finish(ed)?|completed?|resolved|solved|cancell?ed|cancellation|churned|terminated|termination|left|exit|shipped|delivered|returned|refunded|paid|renewed|renewal|last|next|due|expires?|expiry|expiration|deactivated|archived|approved|rejected|responded|discharged?|discontinued|retired)(_|$)/;
const PLAIN = new Set([
  'date',
  'timestamp',
  'time',
  'datetime',
  'day',
  'ts',
  'occurredat',
  'happenedat',
  'eventdate',
  'eventtime',
  'recordedat',
  'loggedat',
]);
const CREATED = new Set([
  'createdat',
  'createdon',
  'createddate',
  'creationdate',
  'datecreated',
  'created',
  'createddatetime',
  'createdtime',
]);

/** What a row begins with, by what it is called. */
const BEGINS =
  /(^|_)(created?|placed|ordered|start(s|ed)?|began|begins?|opened|issued|filed|submitted|requested|booked|scheduled|hired?|joined|registered|signed|signup|reported|received|purchased|bought|sold|posted|published|logged|recorded|occurred|happened|entered|admitted|admission|invoiced)(_|$)/;
const DATE_WORD = /^(date|time|timestamp|datetime|day|at|on|dt|ts)$/;

/** The dates that stand for the entity, by convention: one when it is clear, several when it is not, none when it has no date. */
export function primaryDates(entity: EntityEntry): readonly ModelDimension[] {
  const all = entity.dimensions.filter(isTime);
  if (all.length <= 1) return all;
  const usual = all.filter((dimension) => !saidOf(dimension).some((name) => BOOKKEEPING.test(name)));
  if (usual.length === 1) return usual;
  const begins = usual.filter((dimension) => !ENDS.test(nameWords(dimension.name).join('_')));
  if (begins.length === 1) return begins;
  const rest = begins.length > 0 ? begins : usual;
  const first = rest.filter((dimension) => !saidOf(dimension).some((name) => ENDS.test(name)));
  if (first.length === 1 && saidOf(first[0]!).some((name) => BEGINS.test(name))) return first;
  for (const group of preferences(entity, rest)) if (group.length === 1) return group;
  return rest.length > 0 ? rest : all;
}

/** The dates at which a row of the entity may have happened: nobody's birthday. */
export const eventDates = (entity: EntityEntry): readonly ModelDimension[] =>
  primaryDates(entity).filter((dimension) => !isBirth(dimension));

/** Name and synonyms, as words joined by underscores. */
const saidOf = ({ name, synonyms }: ModelDimension): string[] =>
  [name, ...(synonyms ?? [])].map((text) => nameWords(text).join('_'));

/** What speaks for a date, the strongest first. */
function preferences(entity: EntityEntry, dates: readonly ModelDimension[]): ModelDimension[][] {
  const own = new Set(
    [entity.one, ...entity.model.synonyms].flatMap(nameWords).flatMap((word) => [stem(word), root(word)]),
  );
  const isOwn = (word: string): boolean => own.has(stem(word)) || own.has(root(word));
  const key = (dimension: ModelDimension): string => nameWords(dimension.name).join('');
  const filled = dates.filter((dimension) => !((dimension.null_count ?? 0) > 0));
  return [
    dates.filter((dimension) => nameWords(dimension.name).some(isOwn)),
    // "visit date" as a synonym.
    dates.filter((dimension) =>
      (dimension.synonyms ?? []).some((text) => {
        const words = nameWords(text);
        return words.some(isOwn) && words.every((word) => isOwn(word) || DATE_WORD.test(word));
      }),
    ),
    dates.filter((item) => PLAIN.has(key(item))),
    dates.filter((item) => CREATED.has(key(item))),
    // Every row has it; the others come later or never.
    filled.length < dates.length ? filled : [],
    dates.filter((dimension) => nameWords(dimension.description ?? '').some(isOwn)),
  ];
}
