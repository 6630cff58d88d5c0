/** Makes all proposals for the files of a layer from what people asked. */
import { setImmediate } from 'node:timers/promises';
import { idOf, type Proposal } from './proposal.ts';
import { type LogRequest, readLog } from './read-log.ts';
import { proposeJoins, proposeMeasures, proposePatterns } from './structure.ts';
import { proposeFromQuestions, proposeFromRepairs } from './synonyms.ts';
import { proposeWordings } from './wordings.ts';
import { stemsOf } from './words.ts';

/** So that a person can look at each of them. */
const MAX_PROPOSALS = 50;
/** Of one kind for one entity, column, measure or verified query. */
const MAX_ALIKE = 5;

const placeOf = (proposal: Proposal) => {
  const { kind, owner } = proposal;
  return [
    kind,
    owner.file,
    'member' in proposal && proposal.member?.list,
    'member' in proposal && proposal.member?.name,
  ];
};

/** Nothing of it is applied. In the order in which they are best applied: later ones may need earlier ones. */
export async function proposalsFor(request: LogRequest): Promise<Proposal[]> {
  const { model, scope } = request;
  const log = await readLog(request);
  const all: Proposal[] = [];
  const proposers = [
    proposeJoins,
    proposeMeasures,
    proposeFromRepairs,
    proposeFromQuestions,
    proposeWordings,
    proposePatterns,
  ];
  for (const propose of proposers) {
    // Other requests have their turn.
    await setImmediate(undefined, { signal: scope.signal });
    all.push(...(await propose(log, model)));
  }
  // A word is no other name of a column where it names what is calculated from it.
  const measured = stemsOf(all.flatMap((one) => (one.kind === 'measure' ? one.value.name : [])));
  const named = all.filter((one) => one.kind !== 'synonym' || stemsOf([one.value]).isDisjointFrom(measured));
  const unique = new Map(named.map((proposal) => [idOf(proposal), proposal]));
  const alike = Map.groupBy(unique.values(), (proposal) => placeOf(proposal).join('\n'));
  const few = new Set([...alike.values()].flatMap((some) => some.slice(0, MAX_ALIKE)));
  return [...unique.values()].filter((proposal) => few.has(proposal)).slice(0, MAX_PROPOSALS);
}
