/**
 * The declared joins as a graph that can be walked both ways, and the one path between two entities that is meant.
 */
import type { ModelEntity, ModelJoin, SemanticModel } from '../../semantic-layer/index.ts';
import { PlanError } from '../plan.ts';

export interface Hop {
  readonly from: ModelEntity;
  readonly to: ModelEntity;
  /** `orders.customers`: where the join is declared, whichever way it is walked. Two where both sides declare it. */
  readonly names: readonly string[];
  readonly on: readonly { readonly from: string; readonly to: string }[];
  /** One row of `from` may meet several rows of `to`. */
  readonly multiplies: boolean;
  /** One row of `to` may meet several rows of `from`. */
  readonly multipliesBack: boolean;
}

export type Path = readonly Hop[];

/** Longer chains of joins are not looked for. */
const maxHops = 6;
/** Enough to show that there is a choice. */
const maxChoices = 8;

const multiplying = { many_to_one: false, one_to_one: false, one_to_many: true, many_to_many: true };
const multiplyingBack = { many_to_one: true, one_to_one: false, one_to_many: false, many_to_many: true };

const column = (name: string) => name.slice(name.lastIndexOf('.') + 1);
const signature = ({ to, on }: Hop) => {
  const columns = on.map((pair) => `${pair.from}=${pair.to}`.toLowerCase());
  return [to.source, to.name, ...columns.sort()].join();
};

function declared(from: ModelEntity, to: ModelEntity, join: ModelJoin): Hop {
  return {
    from,
    to,
    names: [`${from.name}.${join.name}`],
    on: join.on.map((pair) => ({ from: column(pair.from), to: column(pair.to) })),
    multiplies: multiplying[join.relationship],
    multipliesBack: multiplyingBack[join.relationship],
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

/** Whether one statement can read both. */
export const sameConnection = (a: ModelEntity, b: ModelEntity) => (a.connection ?? '') === (b.connection ?? '');

export class JoinGraph {
  readonly #hops = new Map<ModelEntity, Map<string, Hop>>();

  constructor(model: SemanticModel) {
    for (const entity of model.entities) {
      for (const join of entity.joins) {
        const target = model.entity(`${entity.source}.${join.target}`) ?? model.entity(join.target);
        // A join of an entity with itself leads nowhere new: a plan names each entity in one role.
        if (target === undefined || target === entity || !sameConnection(entity, target)) continue;
        const hop = declared(entity, target, join);
        this.#add(hop);
        this.#add(reversed(hop));
      }
    }
  }

  /** The same columns joined from both sides are one join. Where the two disagree, the careful reading holds. */
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

  /** Columns that joins to one row of the entity rely on, and which are therefore unique. */
  uniqueColumns(entity: ModelEntity): string[] {
    const incoming = this.hops(entity).find((hop) => hop.multiplies && !hop.multipliesBack);
    return incoming?.on.map(({ from }) => from) ?? [];
  }

  /** Whether a path to at most one row exists at all. */
  hasSinglePath(from: ModelEntity, to: ModelEntity): boolean {
    return from === to || this.#search(from, to, (hop) => !hop.multiplies).length > 0;
  }

  /**
   * The path that is meant. Paths that reach one row at most come first, then those that go down to details and up
   * again to what these refer to, then any. Within a class a path with a shortcut gives way to the shortcut; where
   * several are left `joinPath` decides, or `ambiguous_path` asks.
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

  /** Distance in hops to `to`, for entities within reach of it. */
  #distances(to: ModelEntity): Map<ModelEntity, number> {
    const distances = new Map([[to, 0]]);
    for (const [entity, distance] of distances) {
      if (distance === maxHops) break;
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
        if (found.length >= maxChoices || left === undefined || path.length + 1 + left > maxHops) continue;
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

/** Down to details, then up from them, never down again: the rows met are details of the starting row. */
function descends(hop: Hop, path: Path): boolean {
  const climbs = hop.multipliesBack && !hop.multiplies;
  return path.length === 0 ? !climbs : !isDetour([...path, hop]);
}

/** Up to something shared and down to other details of it: the two ends have no relation but that. */
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
  const choices = meant.map((path) => distinct(path, meant));
  throw new PlanError(
    'ambiguous_path',
    `${from.name} and ${to.name} are related in several ways: ${choices.map((choice) => `(${choice})`).join(' or ')}. ` +
      'Say which one with joinPath.',
    choices,
  );
}

/** The joins of a path that not all of its rivals share. */
function distinct(path: Path, rivals: readonly Path[]): string {
  const shared = (hop: Hop) => rivals.every((rival) => rival.some((other) => other.names[0] === hop.names[0]));
  return path
    .filter((hop) => !shared(hop))
    .map((hop) => hop.names[0])
    .join(', ');
}
