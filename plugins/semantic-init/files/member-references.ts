/** Makes metrics and terms refer to members under the names that they have in the files of a layer. */
import { parse } from 'yaml';
import { type Content, isSameItem } from './merge.ts';

type Item = Readonly<Record<string, unknown>>;

/** An entity as it was generated, and as it is after merging. */
export interface MergedEntity {
  readonly generated: Content;
  readonly text: string;
}

const LISTS = { measure: 'measures', dimension: 'dimensions' } as const;
const itemsOf = (content: Item, list: string) => (Array.isArray(content[list]) ? content[list] : []) as readonly Item[];
const isRecord = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The contents with references to members that a person, or another tool, has renamed under their new names, and without
 * items that refer to members, or to the entities `deleted`, that are gone. `changed` gets the items that differ from what they were.
 */
export function withPresentMembers(
  content: Content,
  entities: readonly MergedEntity[],
  deleted: ReadonlySet<unknown>,
  changed: Set<unknown>,
): Content {
  const byName = new Map(
    entities.map(({ generated, text }) => {
      const present = (parse(text, { uniqueKeys: false, merge: true, logLevel: 'silent' }) ?? {}) as Item;
      return [String(present.name ?? present.table), { generated, present }] as const;
    }),
  );
  /** `undefined`: it refers to something that is gone. */
  const mended = (item: Item): Item | undefined => {
    const entity = byName.get(String(item.entity));
    if (entity === undefined) return deleted.has(item.entity) ? undefined : item;
    let result = item;
    for (const [key, list] of Object.entries(LISTS)) {
      if (item[key] === undefined) continue;
      const members = itemsOf(entity.present, list);
      if (members.some(({ name }) => name === item[key])) continue;
      const own = itemsOf(entity.generated, list).find(({ name }) => name === item[key]);
      const same = own && members.find((member) => isSameItem(list, member, own));
      if (same === undefined) return undefined;
      result = { ...result, [key]: same.name };
    }
    return result;
  };
  const walked = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const result = value.flatMap((item) => {
        const inner = walked(item);
        const kept = isRecord(inner) ? mended(inner) : inner;
        if (kept !== item && kept !== undefined) changed.add(kept);
        return kept === undefined ? [] : [kept];
      });
      return result.length === value.length && result.every((item, index) => item === value[index]) ? value : result;
    }
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, walked(inner)] as const);
    return entries.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(entries);
  };
  return walked(content) as Content;
}
