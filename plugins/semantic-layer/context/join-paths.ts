/** Finds the entities through which others are joined, along the declared joins in either direction. */
import type { ModelEntity } from '../model.ts';

/** Joins between two entities; a longer way seldom answers a question. */
const MAX_STEPS = 3;
/** Entities whose neighbours are looked at for one pair. */
const MAX_VISITED = 400;

export class JoinPaths {
  readonly #neighbours = new Map<string, Set<string>>();

  constructor(entities: readonly ModelEntity[]) {
    const names = new Map(entities.map(({ name }) => [name.toLowerCase(), name]));
    for (const { name, joins } of entities) {
      for (const { target } of joins) {
        const other = names.get(target.toLowerCase());
        if (other === undefined || other === name) continue;
        this.#connect(name, other);
        this.#connect(other, name);
      }
    }
  }

  /** The entities that one joins, or that join it. */
  joined(name: string): ReadonlySet<string> {
    return this.#neighbours.get(name) ?? new Set();
  }

  /** The entities that connect the given ones to the first of them where no join does so directly. */
  between(names: readonly string[]): string[] {
    const [first, ...others] = names;
    if (first === undefined) return [];
    const connected = new Set([first]);
    const bridges: string[] = [];
    for (const name of others) {
      const path = this.#shortest(name, connected);
      for (const step of path.slice(1, -1)) if (!names.includes(step)) bridges.push(step);
      for (const step of path) connected.add(step);
    }
    return [...new Set(bridges)];
  }

  /** From an entity to the nearest of the others, both included; empty when there is none near. */
  #shortest(from: string, to: ReadonlySet<string>): string[] {
    const before = new Map<string, string | undefined>([[from, undefined]]);
    let border = [from];
    for (let step = 0; step <= MAX_STEPS && border.length > 0 && before.size < MAX_VISITED; step += 1) {
      const end = border.find((name) => to.has(name));
      if (end !== undefined) {
        const path: string[] = [];
        for (let at: string | undefined = end; at !== undefined; at = before.get(at)) path.unshift(at);
        return path;
      }
      const next: string[] = [];
      for (const name of border) {
        for (const other of this.joined(name)) {
          if (before.has(other)) continue;
          before.set(other, name);
          next.push(other);
        }
      }
      border = next;
    }
    return [];
  }

  #connect(from: string, to: string): void {
    const known = this.#neighbours.get(from);
    if (known === undefined) this.#neighbours.set(from, new Set([to]));
    else known.add(to);
  }
}
