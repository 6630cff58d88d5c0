/** Walks the declared joins in the directions in which rows do not multiply: from an order to its customer, never back. */
import type { SemanticModel } from '../../semantic-layer/index.ts';
import type { ModelEntity } from './layer.ts';

export interface JoinGraph {
  /** Number of to-one joins from one entity to another; `undefined` when rows would multiply or nothing joins them. */
  distance(from: string, to: string): number | undefined;
  /** Whether some entity leads to both without multiplying rows. */
  isRelated(a: string, b: string): boolean;
  /** The columns by which `to` is joined on the ways from `from` to it without multiplying rows. */
  roles(from: string, to: string): readonly string[];
  /** Columns of an entity that joins compare, in lower case. */
  columns(entity: string): ReadonlySet<string>;
}

/** The name by which plans call an entity: qualified where two sources use the same name. */
export const entityName = (model: SemanticModel, entity: ModelEntity): string =>
  model.entity(entity.name) === entity ? entity.name : `${entity.source}.${entity.name}`;

type Links = Map<string, Set<string>>;
const note = (links: Links, key: string, value: string): unknown =>
  links.set(key, (links.get(key) ?? new Set()).add(value));

/** Builds the graph once; the distances from one entity are found when first asked for. */
export function joinGraph(model: SemanticModel): JoinGraph {
  const [toOne, reverse, ways, columns]: [Links, Links, Links, Links] = [new Map(), new Map(), new Map(), new Map()];
  const link = (from: string, to: string, column: string): void => {
    note(ways, `${from} ${to}`, column);
    note(toOne, from, to);
    note(reverse, to, from);
  };
  for (const entity of model.entities)
    for (const { target: name, relationship, on } of entity.joins) {
      const from = entityName(model, entity);
      const target = model.entity(`${entity.source}.${name}`) ?? model.entity(name);
      const to = target && entityName(model, target);
      for (const pair of on) {
        note(columns, from, pair.from.toLowerCase());
        if (to !== undefined) note(columns, to, pair.to.toLowerCase());
      }
      if (to === undefined) continue;
      if (relationship.endsWith('to_one')) link(from, to, on.map((one) => one.from).join(' '));
      if (relationship.startsWith('one_to')) link(to, from, on.map((one) => one.to).join(' '));
    }
  const [forward, backward] = [distancesIn(toOne), distancesIn(reverse)];
  return {
    roles(from, to) {
      const last = [...(reverse.get(to) ?? [])].filter((name) => forward(from).has(name) && name !== to);
      return [...new Set(last.flatMap((name) => [...(ways.get(`${name} ${to}`) ?? [])]))];
    },
    distance: (from, to) => forward(from).get(to),
    isRelated: (a, b) => [...backward(a).keys()].some((name) => backward(b).has(name)),
    columns: (entity) => columns.get(entity) ?? new Set(),
  };
}

/** Fewest steps from a name to every other one, remembered per name. */
function distancesIn(links: Links): (from: string) => ReadonlyMap<string, number> {
  const known = new Map<string, Map<string, number>>();
  return (from) => {
    const out = known.get(from) ?? new Map([[from, 0]]);
    if (!known.has(from))
      for (const [name, steps] of out)
        for (const next of links.get(name) ?? []) if (!out.has(next)) out.set(next, steps + 1);
    known.set(from, out);
    return out;
  };
}
