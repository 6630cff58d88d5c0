/** Decides which date of an entity a time is about when the question does not say. */
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isTime } from '../words/lexicon.ts';
import { nameWords, root, stem } from '../words/stem.ts';

const BOOKKEEPING = /^(updated|modified|changed|deleted|synced|imported|loaded|birth|expires?|expiry|valid|due)/;
/** What ends or follows a row does not stand for it. */
const ENDS =
  /(^|_)(closed|ended?|end|finish(ed)?|completed?|resolved|solved|cancell?ed|cancellation|churned|terminated|termination|left|exit|shipped|delivered|returned|refunded|paid|renewed|renewal|last|next|due|expires?|expiry|expiration|deactivated|archived|approved|rejected|responded|discharged?|discontinued|retired)(_|$)/;
/** What a row begins with, by what it is called. */
const BEGINS =
  /(^|_)(created?|placed|ordered|start(s|ed)?|began|begins?|opened|issued|filed|submitted|requested|booked|scheduled|hired?|joined|registered|signed|signup|reported|received|purchased|bought|sold|posted|published|logged|recorded|occurred|happened|entered|admitted|admission|invoiced)(_|$)/;
const DATE_WORD = /^(date|time|timestamp|datetime|day|at|on|dt|ts)$/;
const PLAIN = /^(date|timestamp|time|datetime|day|ts|occurredat|happenedat|eventdate|eventtime|recordedat|loggedat)$/;
const CREATED = /^(created(at|on|date|datetime|time)?|creationdate|datecreated)$/;

/** Name and synonyms, as words joined by underscores. */
const saidOf = ({ name, synonyms }: ModelDimension): string[] =>
  [name, ...(synonyms ?? [])].map((text) => nameWords(text).join('_'));

/** The dates that stand for the entity, by convention: one when it is clear, several when it is not, none when it has no date. */
export function primaryDates(entity: EntityEntry): readonly ModelDimension[] {
  const all = entity.dimensions.filter(isTime);
  if (all.length <= 1) return all;
  const usual = all.filter((one) => !saidOf(one).some((name) => BOOKKEEPING.test(name)));
  if (usual.length === 1) return usual;
  const begins = usual.filter((one) => !ENDS.test(nameWords(one.name).join('_')));
  if (begins.length === 1) return begins;
  const rest = begins.length > 0 ? begins : usual;
  const first = rest.filter((one) => !saidOf(one).some((name) => ENDS.test(name)));
  if (first.length === 1 && saidOf(first[0]!).some((name) => BEGINS.test(name))) return first;
  return preferences(entity, rest).find((group) => group.length === 1) ?? (rest.length > 0 ? rest : all);
}

/** What speaks for a date, the strongest first. */
function preferences(entity: EntityEntry, dates: readonly ModelDimension[]): ModelDimension[][] {
  const own = new Set(
    [entity.one, ...entity.model.synonyms].flatMap(nameWords).flatMap((word) => [stem(word), root(word)]),
  );
  const isOwn = (word: string): boolean => own.has(stem(word)) || own.has(root(word));
  const key = ({ name }: ModelDimension): string => nameWords(name).join('');
  const filled = dates.filter((one) => !((one.null_count ?? 0) > 0));
  return [
    dates.filter(({ name }) => nameWords(name).some(isOwn)),
    // "visit date" as a synonym.
    dates.filter((one) =>
      (one.synonyms ?? [])
        .map(nameWords)
        .some((words) => words.some(isOwn) && words.every((word) => isOwn(word) || DATE_WORD.test(word))),
    ),
    dates.filter((one) => PLAIN.test(key(one))),
    dates.filter((one) => CREATED.test(key(one))),
    // Every row has it; the others come later or never.
    filled.length < dates.length ? filled : [],
    dates.filter(({ description }) => nameWords(description ?? '').some(isOwn)),
  ];
}
