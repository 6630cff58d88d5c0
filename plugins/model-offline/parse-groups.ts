/** Groups, rankings and orders. */
import type { Grain } from '../semantic-query/plan.ts';
import type { Condition, Want } from './draft.ts';
import type { Item } from './link.ts';
import { isNamed, isNumber, isPlainCount, kindsOf, mentionOf, pick } from './mentions.ts';
import { ConditionParser } from './parse-conditions.ts';
import type { Aggregate, OperatorOf } from './vocabulary.ts';

export class GroupParser extends ConditionParser {
  /** "tickets closed per month": the date that was just named. */
  protected grain(grain: Grain): void {
    this.groups.push({ grain, ...(this.date && { hint: this.date }) });
    this.date = undefined;
  }

  protected group(item: Item): void {
    let at = this.next(this.at + 1);
    const first = this.items[at];
    // "top 5 customers by revenue": what comes after is the key, not a group.
    if (
      item.operator!.op === 'by' &&
      this.rank &&
      this.rank.key === undefined &&
      (this.head || this.columns.length > 0 || this.groups.length > 0) &&
      first &&
      !this.rank.of
    ) {
      const key = this.key(at);
      if (key) {
        this.rank = { ...this.rank, key: key.want, isTotal: true };
        this.at = key.next;
        return;
      }
    }
    let found = false;
    for (;;) {
      const here = this.items[at];
      if (here?.operator?.op === 'distinct') {
        at = this.next(at + 1);
        continue;
      }
      const grain = here?.operator?.op === 'grain' ? here.operator.grain : undefined;
      if (here && grain !== undefined && !(here.meanings.length > 0 && grain === undefined)) {
        this.grain(grain);
        at++;
      } else if (here && isNamed(here)) {
        const restore = this.at;
        this.at = at;
        const mention = this.qualified(here);
        at = this.at + 1;
        this.at = restore;
        const groupable = mention.meanings.filter(
          (meaning) => meaning.kind === 'dimension' || meaning.kind === 'entity',
        );
        if (groupable.length === 0) break;
        this.placed.set(here, mention);
        this.groups.push({ mention: { ...mention, meanings: groupable } });
      } else break;
      found = true;
      this.at = at;
      let more = at;
      while (
        ['and', 'by', 'group', 'also'].includes(this.op(this.items[more]) ?? '') ||
        (more > at && this.items[more]?.kind === 'filler')
      )
        more++;
      const next = this.items[more];
      const continues =
        next &&
        (this.op(next) === 'grain' ||
          (isNamed(next) && next.meanings.every((meaning) => meaning.kind !== 'measure' && meaning.kind !== 'value')));
      if (more === at || !continues) return;
      at = more;
    }
    // "placed by enterprise customers": who did it, not a group.
    const isAgent = first !== undefined && isNamed(first) && kindsOf(mentionOf(first), this.roleOf).has('condition');
    if (!found && !isAgent) this.unplaced.push(item);
  }

  /** A figure named as the key of a ranking or sorting: "revenue", "number of orders", "average rating". */
  protected key(from: number): { want: Want; next: number } | undefined {
    let at = this.next(from);
    let fn: Aggregate | undefined;
    for (
      let item = this.items[at];
      item?.operator?.op === 'aggregate' || item?.operator?.op === 'distinct';
      item = this.items[at]
    ) {
      fn =
        item.operator.op === 'distinct'
          ? 'count_distinct'
          : item.operator.op !== 'aggregate' || fn === 'count'
            ? fn
            : item.operator.fn;
      at = this.next(at + 1);
    }
    const conditions: Condition[] = [];
    let item = this.items[at];
    while (
      item &&
      isNamed(item) &&
      this.items[at + 1] &&
      isNamed(this.items[at + 1]!) &&
      kindsOf(mentionOf(item), this.roleOf).has('condition') &&
      !kindsOf(mentionOf(item), this.roleOf).has('measure')
    ) {
      conditions.push({ type: 'is', mention: pick(mentionOf(item), 'condition', this.roleOf), negated: false });
      this.placed.set(item, mentionOf(item));
      item = this.items[++at];
    }
    if (!item || !isNamed(item)) return undefined;
    const restore = this.at;
    this.at = at;
    const mention = this.qualified(item);
    const next = this.at + 1;
    this.at = restore;
    const kinds = kindsOf(mention, this.roleOf);
    if (!kinds.has('measure') && !kinds.has('entity') && !kinds.has('dimension')) return undefined;
    this.placed.set(item, mention);
    for (const condition of conditions) this.add(condition);
    return { want: { ...(fn && { fn }), mention }, next };
  }

  protected ranking(item: Item, operator: OperatorOf<'rank'>): void {
    let at = this.next(this.at + 1);
    let limit = this.pendingNumber;
    this.pendingNumber = undefined;
    if (this.items[at]?.kind === 'number') {
      limit = this.items[at]!.number!;
      at = this.next(at + 1);
    }
    const inner = this.items[at]?.operator;
    let of = operator.of;
    let direction = operator.direction;
    if (inner?.op === 'rank' && inner.of) {
      // "top 5 most expensive", "3 most recent"
      of = inner.of;
      direction = inner.direction;
      at = this.next(at + 1);
    }
    if (this.rank) {
      this.unplaced.push(item);
      return;
    }
    this.with = undefined;
    const base = { direction, ...(limit !== undefined && { limit }), ...(of && { of }) };
    const grain = this.items[at]?.operator;
    if (grain?.op === 'grain') {
      this.rank = base;
      this.grain(grain.grain);
      this.at = at + 1;
      return;
    }
    const top = item.tokens[0]!.word === 'top' || item.tokens[0]!.word === 'bottom' || limit !== undefined;
    const ranked = this.items[at];
    if (Array.isArray(of) && ranked && isNamed(ranked) && !this.head) {
      // "the longest duration": the figure itself, not rows by it.
      const restore = this.at;
      this.at = at;
      const mention = this.qualified(ranked);
      this.at = restore;
      const kinds = kindsOf(mention, this.roleOf);
      const key = kinds.has('dimension') && !kinds.has('entity') && isNumber(mention) ? this.key(at) : undefined;
      if (key) {
        this.rank = { direction, ...(limit !== undefined && { limit }), key: key.want };
        this.at = key.next;
        return;
      }
    }
    if (of !== undefined || top || (item.tokens[0]!.word !== 'most' && this.isTargetAhead(at))) {
      this.rank = base;
      this.at = at;
      // What follows is ranked: it becomes the head.
      this.which = this.head === undefined && this.wants.length === 0;
      return;
    }
    const key = this.key(at);
    if (key) {
      this.rank = { ...base, key: key.want };
      this.at = key.next;
    } else if (/^(most|least|fewest)$/.test(item.tokens[0]!.word)) {
      // "which books were borrowed most": by how often it happened.
      const date = this.date;
      if (!date && this.wants.length === 0) {
        this.unplaced.push(item);
        return;
      }
      this.date = undefined;
      this.rank = { ...base, ...(date && { key: { mention: date } }) };
      this.at = at;
    } else {
      this.rank = base;
      this.at = at;
    }
  }

  /** "best products by …", "largest orders": a ranked noun, not a ranked figure. */
  protected isTargetAhead(at: number): boolean {
    const item = this.items[at];
    if (!item || !isNamed(item) || this.head || this.columns.length > 0) return false;
    const kinds = kindsOf(mentionOf(item), this.roleOf);
    return (
      (!kinds.has('measure') || (kinds.has('entity') && isPlainCount(mentionOf(item)))) &&
      (kinds.has('entity') || (kinds.has('dimension') && this.op(this.peek(at + 1)) === 'by'))
    );
  }

  protected sort(item: Item): void {
    const key = this.key(this.next(this.at + 1));
    const only = this.peek()?.operator;
    if (!key && only?.op === 'direction') {
      this.rank = { ...this.rank, direction: only.direction, isSorting: true };
      this.at = this.next(this.at + 1) + 1;
      return;
    }
    if (!key) {
      this.unplaced.push(item);
      return;
    }
    const after = this.items[key.next]?.operator;
    this.rank = {
      direction: after?.op === 'direction' ? after.direction : 'asc',
      ...this.rank,
      key: key.want,
      isTotal: true,
      isSorting: true,
    };
    this.at = key.next + (after?.op === 'direction' ? 1 : 0);
    if (after?.op === 'direction') this.rank = { ...this.rank, direction: after.direction };
    this.sorted = true;
  }
}
