/** Which date of an entity a time is about when the question does not say. */
import type { ModelDimension } from '../semantic-layer/model.ts';
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

/** The dates that stand for the entity, by convention: one when it is clear, several when it is not, none when it has no date. */
export function primaryDates(entity: EntityEntry): readonly ModelDimension[] {
  const all = entity.dimensions.filter(isTime);
  if (all.length <= 1) return all;
  const usual = all.filter((dimension) => !BOOKKEEPING.test(dimension.name.toLowerCase()));
  if (usual.length === 1) return usual;
  const begins = usual.filter((dimension) => !ENDS.test(nameWords(dimension.name).join('_')));
  if (begins.length === 1) return begins;
  const own = new Set(nameWords(entity.one).flatMap((word) => [stem(word), root(word)]));
  const key = (dimension: ModelDimension): string => nameWords(dimension.name).join('');
  const rest = begins.length > 0 ? begins : usual;
  const named = rest.filter((dimension) =>
    nameWords(dimension.name).some((word) => own.has(stem(word)) || own.has(root(word))),
  );
  for (const group of [
    named,
    rest.filter((item) => PLAIN.has(key(item))),
    rest.filter((item) => CREATED.has(key(item))),
  ])
    if (group.length === 1) return group;
  return rest.length > 0 ? rest : all;
}
