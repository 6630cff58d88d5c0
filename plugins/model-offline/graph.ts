/** The declared joins as directions in which rows do not multiply: from an order to its customer, never back. */
import type { ModelEntity, SemanticModel } from '../semantic-layer/model.ts';

export interface JoinGraph {
  /** Number of to-one joins from one entity to another; `undefined` when rows would multiply or nothing joins them. */
  distance(from: string, to: string): number | undefined;
  /** Entities from which both others are one row each, nearest first: what relates two entities. */
  bridges(a: string, b: string): readonly string[];
}

/** The name by which plans call an entity: qualified where two sources use the same name. */
export function entityName(model: SemanticModel, entity: ModelEntity): string {
  return model.entity(entity.name) === entity ? entity.name : `${entity.source}.${entity.name}`;
}

/** Builds the graph once; the distances from one entity are found when first asked for. */
export function joinGraph(model: SemanticModel): JoinGraph {
  const toOne = new Map<string, Set<string>>();
  const reverse = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    toOne.set(from, (toOne.get(from) ?? new Set()).add(to));
    reverse.set(to, (reverse.get(to) ?? new Set()).add(from));
  };
  for (const entity of model.entities) {
    const from = entityName(model, entity);
    for (const join of entity.joins) {
      const target = model.entity(`${entity.source}.${join.target}`) ?? model.entity(join.target);
      if (target === undefined) continue;
      const to = entityName(model, target);
      if (join.relationship === 'many_to_one' || join.relationship === 'one_to_one') link(from, to);
      if (join.relationship === 'one_to_many' || join.relationship === 'one_to_one') link(to, from);
    }
  }
  const forward = distancesIn(toOne);
  const backward = distancesIn(reverse);
  return {
    distance: (from, to) => forward(from).get(to),
    bridges(a, b) {
      const found: { name: string; steps: number }[] = [];
      const toB = backward(b);
      for (const [name, steps] of backward(a)) {
        const more = toB.get(name);
        if (more !== undefined) found.push({ name, steps: steps + more });
      }
      return found
        .sort((x, y) => x.steps - y.steps)
        .filter((item) => item.steps === found[0]!.steps)
        .map((item) => item.name);
    },
  };
}

/** Fewest steps from a name to every other one, remembered per name. */
function distancesIn(links: ReadonlyMap<string, ReadonlySet<string>>): (from: string) => ReadonlyMap<string, number> {
  const known = new Map<string, Map<string, number>>();
  return (from) => {
    const found = known.get(from);
    if (found) return found;
    const out = new Map([[from, 0]]);
    for (const [name, steps] of out)
      for (const next of links.get(name) ?? []) if (!out.has(next)) out.set(next, steps + 1);
    known.set(from, out);
    return out;
  };
}
