/**
 * Finds the join path between two entities in the graph of declared joins, which can be followed in both directions.
 */
import type { ModelEntity, ModelJoin, SemanticModel } from '../../semantic-layer/index.ts';
import { PlanError } from '../errors.ts';

export interface Hop {
  readonly from: ModelEntity;
  readonly to: ModelEntity;
  /**
   * Where the join is declared, such as `orders.customers`, whatever its direction; two names when both sides declare
   * it.
   */
  readonly names: readonly string[];
  readonly on: readonly { readonly from: string; readonly to: string }[];
  /** One row of `from` may match several rows of `to`. */
  readonly multiplies: boolean;
  /** One row of `to` may match several rows of `from`. */
  readonly multipliesBack: boolean;
}

export type Path = readonly Hop[];

/** Longest join path, in joins. */
const MAX_HOPS = 6;
/** Paths collected at most: enough to show the ambiguity. */
const MAX_CHOICES = 8;

const MULTIPLIES = { many_to_one: false, one_to_one: false, one_to_many: true, many_to_many: true };
const MULTIPLIES_BACK = { many_to_one: true, one_to_one: false, one_to_many: false, many_to_many: true };

const column = (name: string) => name.slice(name.lastIndexOf('.') + 1);
const signature = ({ to, on }: Hop) => {
  const columns = on.map((pair) => `${pair.from}=${pair.to}`.toLowerCase());
  return [to.source, to.name, ...columns.sort()].join();
};

function declaredHop(from: ModelEntity, to: ModelEntity, join: ModelJoin): Hop {
  return {
    from,
    to,
    names: [`${from.name}.${join.name}`],
    on: join.on.map((pair) => ({ from: column(pair.from), to: column(pair.to) })),
    multiplies: MULTIPLIES[join.relationship],
    multipliesBack: MULTIPLIES_BACK[join.relationship],
  };
}

function reversed(hop: Hop): Hop {
  return {
    from: hop.to,
    to: hop.from,
    names: hop.names,
    on: hop.on.map(({ from, to }) => ({ from: to, to: from })),
    multiplies: hop.multipliesBack,
    multipliesBack: hop.multiplies,
  };
}

/** Whether one statement can read both entities. */
export const sameConnection = (a: ModelEntity, b: ModelEntity) => (a.connection ?? '') === (b.connection ?? '');

const graphs = new WeakMap<SemanticModel, JoinGraph>();

/** The joins of a model; made on first use and kept as long as the model lives. */
export function joinGraphOf(model: SemanticModel): JoinGraph {
  const known = graphs.get(model) ?? new JoinGraph(model);
  graphs.set(model, known);
  return known;
}

export class JoinGraph {
  readonly #hops = new Map<ModelEntity, Map<string, Hop>>();

  constructor(model: SemanticModel) {
    for (const entity of model.entities) {
      for (const join of entity.joins) {
        const target = model.entity(`${entity.source}.${join.target}`) ?? model.entity(join.target);
        // A plan uses each entity in one role, so a self-join is never needed.
        if (target === undefined || target === entity || !sameConnection(entity, target)) continue;
        const hop = declaredHop(entity, target, join);
        this.#add(hop);
        this.#add(reversed(hop));
      }
    }
  }

  /** Declarations of the same columns from both sides are one join; where they disagree, assume that rows multiply. */
  #add(hop: Hop): void {
    const hops = this.#hops.get(hop.from) ?? new Map<string, Hop>();
    this.#hops.set(hop.from, hops);
    const key = signature(hop);
    const known = hops.get(key);
    const merged = known && {
      ...known,
      names: [...new Set([...known.names, ...hop.names])],
      multiplies: known.multiplies || hop.multiplies,
      multipliesBack: known.multipliesBack || hop.multipliesBack,
    };
    hops.set(key, merged ?? hop);
  }

  hops(entity: ModelEntity): Hop[] {
    return [...(this.#hops.get(entity)?.values() ?? [])];
  }

  /** Columns that to-one joins to the entity refer to, and which are therefore unique. */
  uniqueColumns(entity: ModelEntity): string[] {
    const incoming = this.hops(entity).find((hop) => hop.multiplies && !hop.multipliesBack);
    return incoming?.on.map(({ from }) => from) ?? [];
  }

  /** Whether a path to at most one row exists. */
  hasSinglePath(from: ModelEntity, to: ModelEntity): boolean {
    return from === to || this.#search(from, to, (hop) => !hop.multiplies).length > 0;
  }

  /**
   * The path to use. Paths to at most one row come first, then those that go down to details and up again to what these
   * refer to, then any other. Within a class a shorter way replaces a detour; among several `joinPath` decides, else
   * `ambiguous_path` is thrown.
   */
  path(from: ModelEntity, to: ModelEntity, joinPath: readonly string[]): Path {
    if (from === to) return [];
    if (!sameConnection(from, to)) {
      throw new PlanError(
        'invalid_plan',
        `${from.name} and ${to.name} are in different databases; ask about one of them at a time.`,
      );
    }
    const wanted = joinPath.flatMap((name) => name.split(',')).map((name) => name.trim().toLowerCase());
    this.#check(wanted);
    if (wanted.length > 0) {
      const named = this.#search(from, to, (hop) => isWanted(hop, wanted), false);
      if (named.length === 1) return named[0]!;
    }
    let candidates = this.#search(from, to, (hop) => !hop.multiplies);
    if (candidates.length === 0) candidates = this.#search(from, to, descends);
    if (candidates.length === 0) candidates = this.#search(from, to, () => true);
    return choose(from, to, candidates, wanted);
  }

  #check(wanted: readonly string[]): void {
    const known = [...this.#hops.keys()].flatMap((entity) => this.hops(entity));
    for (const name of wanted) {
      if (known.some((hop) => isWanted(hop, [name]))) continue;
      const names = [...new Set(known.flatMap((hop) => hop.names))];
      throw new PlanError(
        'unknown_name',
        `There is no join ${name}; use one of the declared joins.`,
        names.slice(0, 20),
      );
    }
  }

  /** Distance in hops to `to` of every entity that can reach it. */
  #distances(to: ModelEntity): Map<ModelEntity, number> {
    const distances = new Map([[to, 0]]);
    for (const [entity, distance] of distances) {
      if (distance === MAX_HOPS) break;
      for (const hop of this.hops(entity)) if (!distances.has(hop.to)) distances.set(hop.to, distance + 1);
    }
    return distances;
  }

  #search(
    from: ModelEntity,
    to: ModelEntity,
    allowed: (hop: Hop, path: Path) => boolean,
    withoutShortcuts = true,
  ): Path[] {
    const distances = this.#distances(to);
    const found: Path[] = [];
    const walk = (path: Path, visited: readonly ModelEntity[]): void => {
      const here = visited.at(-1)!;
      for (const hop of this.hops(here)) {
        const left = distances.get(hop.to);
        if (found.length >= MAX_CHOICES || left === undefined || path.length + 1 + left > MAX_HOPS) continue;
        if (visited.includes(hop.to) || !allowed(hop, path)) continue;
        const earlier = visited.slice(0, -1);
        const shortcut = earlier.some((entity) => this.hops(entity).some((h) => h.to === hop.to && allowed(h, [])));
        if (withoutShortcuts && shortcut) continue;
        const longer = [...path, hop];
        if (hop.to === to) found.push(longer);
        else walk(longer, [...visited, hop.to]);
      }
    };
    walk([], [from]);
    return found.sort((a, b) => a.length - b.length);
  }
}

/** Whether the path goes down to details, then up, never down again: its rows are details of the first row. */
function descends(hop: Hop, path: Path): boolean {
  const climbs = hop.multipliesBack && !hop.multiplies;
  return path.length === 0 ? !climbs : !isDetour([...path, hop]);
}

/** Whether the path goes up to a shared row and down to its other details: the two ends are otherwise unrelated. */
export function isDetour(path: Path): boolean {
  const climb = path.findIndex((hop) => hop.multipliesBack && !hop.multiplies);
  return climb !== -1 && path.slice(climb).some((hop) => hop.multiplies);
}

function isWanted(hop: Hop, wanted: readonly string[]): boolean {
  return hop.names.some((full) => {
    const name = full.toLowerCase();
    return wanted.includes(name) || wanted.includes(name.slice(name.lastIndexOf('.') + 1));
  });
}

function choose(from: ModelEntity, to: ModelEntity, candidates: readonly Path[], wanted: readonly string[]): Path {
  if (candidates.length === 0) {
    throw new PlanError(
      'no_path',
      `No declared join leads from ${from.name} to ${to.name}; add one to the semantic layer or ask about them apart.`,
    );
  }
  const score = (path: Path) => path.filter((hop) => isWanted(hop, wanted)).length;
  const best = Math.max(...candidates.map(score));
  const meant = candidates.filter((path) => score(path) === best);
  if (meant.length === 1) return meant[0]!;
  const choices = meant.map((path) => distinct(from, path, meant));
  throw new PlanError(
    'ambiguous_path',
    `${from.name} and ${to.name} are related in several ways: ${choices.map((choice) => `(${choice})`).join(' or ')}.`,
    choices,
  );
}

/** The joins of a path that not all alternatives share. */
function distinct(from: ModelEntity, path: Path, alternatives: readonly Path[]): string {
  const shared = (hop: Hop) =>
    alternatives.every((alternative) => alternative.some((other) => other.names[0] === hop.names[0]));
  // A join that is declared on both sides is called as it is where the path comes from.
  const nameOf = ({ names }: Hop, at: number) =>
    names.find((name) => name.startsWith(`${(at === 0 ? from : path[at - 1]!.to).name}.`)) ?? names[0];
  return path.flatMap((hop, at) => (shared(hop) ? [] : [nameOf(hop, at)])).join(', ');
}
