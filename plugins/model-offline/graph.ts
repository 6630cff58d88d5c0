/** The declared joins as directions in which rows do not multiply: from an order to its customer, never back. */
import type { ModelEntity, SemanticModel } from '../semantic-layer/index.ts';

export interface JoinGraph {
  /** Number of to-one joins from one entity to another; `undefined` when rows would multiply or nothing joins them. */
  distance(from: string, to: string): number | undefined;
  /** Entities from which both others are one row each, nearest first: what relates two entities. */
  bridges(a: string, b: string): readonly string[];
  /** The columns by which `to` is joined on the ways from `from` to it without multiplying rows. */
  roles(from: string, to: string): readonly string[];
}

/** The name by which plans call an entity: qualified where two sources use the same name. */
export function entityName(model: SemanticModel, entity: ModelEntity): string {
  return model.entity(entity.name) === entity ? entity.name : `${entity.source}.${entity.name}`;
}

/** Columns that joins compare, by the name of their entity. */
export function joinColumns(model: SemanticModel): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const note = (entity: string, column: string): void => {
    const known = found.get(entity);
    if (known) known.add(column.toLowerCase());
    else found.set(entity, new Set([column.toLowerCase()]));
  };
  for (const entity of model.entities)
    for (const join of entity.joins) {
      const target = model.entity(`${entity.source}.${join.target}`) ?? model.entity(join.target);
      for (const { from, to } of join.on) {
        note(entityName(model, entity), from);
        if (target) note(entityName(model, target), to);
      }
    }
  return found;
}

/** Builds the graph once; the distances from one entity are found when first asked for. */
export function joinGraph(model: SemanticModel): JoinGraph {
  const toOne = new Map<string, Set<string>>();
  const reverse = new Map<string, Set<string>>();
  const columns = new Map<string, Set<string>>();
  const link = (from: string, to: string, column: string): void => {
    const key = `${from} ${to}`;
    columns.set(key, (columns.get(key) ?? new Set()).add(column));
    toOne.set(from, (toOne.get(from) ?? new Set()).add(to));
    reverse.set(to, (reverse.get(to) ?? new Set()).add(from));
  };
  for (const entity of model.entities) {
    const from = entityName(model, entity);
    for (const join of entity.joins) {
      const target = model.entity(`${entity.source}.${join.target}`) ?? model.entity(join.target);
      if (target === undefined) continue;
      const to = entityName(model, target);
      if (join.relationship === 'many_to_one' || join.relationship === 'one_to_one')
        link(from, to, join.on.map((on) => on.from).join(' '));
      if (join.relationship === 'one_to_many' || join.relationship === 'one_to_one')
        link(to, from, join.on.map((on) => on.to).join(' '));
    }
  }
  const forward = distancesIn(toOne);
  const backward = distancesIn(reverse);
  const rolesOf = new Map<string, readonly string[]>();
  return {
    roles(from, to) {
      const key = `${from} ${to}`;
      const known = rolesOf.get(key);
      if (known) return known;
      const near = forward(from);
      const last = [...(reverse.get(to) ?? [])].filter((name) => near.has(name) && name !== to);
      const found = [...new Set(last.flatMap((name) => [...(columns.get(`${name} ${to}`) ?? [])]))];
      rolesOf.set(key, found);
      return found;
    },
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
