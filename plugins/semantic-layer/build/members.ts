/** Checks the members of one entity against each other; reports and leaves out those that cannot be used. */

import { didYouMean } from '../../../kernel/index.ts';
import type { EntityItem } from '../files/layer-file.ts';
import type { Path } from '../files/yaml.ts';
import type { ModelDimension } from '../model.ts';
import { referencesIn } from '../references.ts';
import type { Measure, Segment } from '../schema.ts';

export type ReportMember = (path: Path, message: string) => void;

/**
 * The usable dimensions. A hidden or masked one is never left out but kept as hidden, so that its column stays
 * protected.
 */
export function checkDimensions(entity: EntityItem, report: ReportMember): readonly ModelDimension[] {
  const declared = entity.dimensions ?? [];
  const kept = new Map<string, { dimension: ModelDimension; index: number }>();
  for (const [index, dimension] of declared.entries()) {
    const key = dimension.name.toLowerCase();
    const first = kept.get(key);
    if (first === undefined) {
      kept.set(key, { dimension, index });
      continue;
    }
    report(
      ['dimensions', index, 'name'],
      `The dimension \`${dimension.name}\` is declared twice; rename or remove one.`,
    );
    if (isProtected(dimension)) kept.set(key, { ...first, dimension: { ...first.dimension, hidden: true } });
  }

  const broken = new Set<string>();
  const names = () => Array.from(kept.values(), ({ dimension }) => dimension.name);
  for (const [key, { dimension, index }] of kept) {
    const path = ['dimensions', index, 'sql'];
    const unknown = referencesIn(dimension.sql).find((name) => !kept.has(name.toLowerCase()));
    if (unknown !== undefined) report(path, unknownReference(unknown, names()));
    else if (reaches(key, key, kept)) report(path, `The \`sql\` of \`${dimension.name}\` refers to itself.`);
    else continue;
    broken.add(key);
  }
  // A dimension that depends on a broken one is broken too; it is not reported again.
  for (const key of kept.keys()) {
    if ([...broken].some((target) => reaches(key, target, kept))) broken.add(key);
  }
  if (broken.size === 0 && kept.size === declared.length) return declared;
  const usable: ModelDimension[] = [];
  for (const [key, { dimension }] of kept) {
    if (!broken.has(key)) usable.push(dimension);
    else if (isProtected(dimension)) usable.push(Object.freeze({ ...dimension, hidden: true }));
  }
  return Object.freeze(usable);
}

/** The measures that can be used over `dimensions`. */
export function checkMeasures(
  entity: EntityItem,
  dimensions: readonly ModelDimension[],
  report: ReportMember,
): readonly Measure[] {
  return usableMembers('measures', entity.measures ?? [], dimensions, report, (measure) =>
    measure.sql === undefined && measure.type !== 'count'
      ? `The measure \`${measure.name}\` needs \`sql\`: the expression of its \`${measure.type}\`.`
      : undefined,
  );
}

/** The segments that can be used over `dimensions`. */
export function checkSegments(
  entity: EntityItem,
  dimensions: readonly ModelDimension[],
  report: ReportMember,
): readonly Segment[] {
  return usableMembers('segments', entity.segments ?? [], dimensions, report, () => undefined);
}

function usableMembers<Member extends { name: string; sql?: string }>(
  list: 'measures' | 'segments',
  members: readonly Member[],
  dimensions: readonly ModelDimension[],
  report: ReportMember,
  ownProblem: (member: Member) => string | undefined,
): readonly Member[] {
  const seen = new Set<string>();
  const usable = members.filter((member, index) => {
    const key = member.name.toLowerCase();
    const kind = list.slice(0, -1);
    const problem = ownProblem(member);
    const unknown = unknownDimension(member.sql, dimensions);
    if (seen.has(key)) {
      report([list, index, 'name'], `The ${kind} \`${member.name}\` is declared twice; rename or remove one.`);
    } else if (problem !== undefined) {
      report([list, index], problem);
    } else if (unknown !== undefined) {
      report(
        [list, index, 'sql'],
        unknownReference(
          unknown,
          dimensions.map(({ name }) => name),
        ),
      );
    } else {
      seen.add(key);
      return true;
    }
    return false;
  });
  return usable.length === members.length ? members : Object.freeze(usable);
}

function unknownDimension(sql: string | undefined, dimensions: readonly ModelDimension[]): string | undefined {
  return referencesIn(sql ?? '').find(
    (name) => !dimensions.some((dimension) => dimension.name.toLowerCase() === name.toLowerCase()),
  );
}

function unknownReference(name: string, known: readonly string[]): string {
  return `\`{${name}}\` names no dimension of this entity${didYouMean(name, known) || '.'}`;
}

function isProtected(dimension: ModelDimension): boolean {
  return dimension.hidden === true || dimension.mask !== undefined;
}

/** Whether the `sql` of `from` refers to `target`, directly or indirectly. */
function reaches(
  from: string,
  target: string,
  dimensions: ReadonlyMap<string, { readonly dimension: ModelDimension }>,
): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const name of referencesIn(dimensions.get(key)?.dimension.sql ?? '')) {
      const next = name.toLowerCase();
      if (next === target) return true;
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return false;
}
