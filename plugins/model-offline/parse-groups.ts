/** Groups, rankings and orders. */
import type { Condition, Group, Mention, Want } from './draft.ts';
import type { Item } from './link.ts';
import { dates, isNamed, isNumber, isPlainCount, isScore, kindsOf, mentionOf, only, pick } from './mentions.ts';
import { ConditionParser } from './parse-conditions.ts';
import type { Aggregate, OperatorOf } from './vocabulary.ts';

export class GroupParser extends ConditionParser {
  /** "by month and driver": the groups after the first. */
  protected moreGroups(): void {
    const at = this.next(this.at);
    const next = this.items[this.next(at + 1)];
    if (this.op(this.items[at]) !== 'and' || !next || !isNamed(next)) return;
    const { plural, meanings } = mentionOf(next);
    if (plural || !meanings.some(({ kind }) => kind === 'entity' || kind === 'dimension')) return;
    this.at = at;
    this.group({ ...this.items[at]!, operator: { op: 'group' } });
  }

  /** "visits by patients registered in 2026", "cancelled by patients": who did it, and more about them. */
  protected isAgent(by: Item, first: Item, at: number): boolean {
    if (!isNamed(first)) return false;
    const mention = mentionOf(first);
    if (!mention.plural || !mention.meanings.some((meaning) => meaning.kind === 'entity')) return false;
    const before = this.items[by.index - 1];
    const next = this.items[at + 1];
    const roles = before !== undefined && isNamed(before) && kindsOf(mentionOf(before), this.roleOf);
    const isDone = roles !== false && roles.has('condition') && !roles.has('entity');
    const isTold =
      next !== undefined &&
      (['that', 'which', 'whose', 'with', 'without'].includes(this.op(next) ?? '') ||
        (isNamed(next) && dates(mentionOf(next)).meanings.length > 0));
    return isDone || isTold;
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
      (!this.rank.of || Array.isArray(this.rank.of))
    ) {
      const key = this.key(at);
      if (key) {
        const { of: _, ...rank } = this.rank;
        this.rank = { ...rank, key: key.want, isTotal: true };
        this.at = key.next;
        return;
      }
    }
    if (item.operator!.op === 'by' && first && this.isAgent(item, first, at)) {
      const mention = mentionOf(first);
      this.placed.set(first, mention);
      this.qualifiers.push({ item: first, mention });
      this.at = at;
      return;
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
        at = this.grain(grain, at + 1);
      } else if (here && isNamed(here)) {
        const restore = this.at;
        this.at = at;
        const mention = this.qualified(here);
        at = this.at + 1;
        this.at = restore;
        const date = dates(mention);
        if (date.meanings.length > 0 && (date.meanings.length === mention.meanings.length || this.isDated(at))) {
          this.placed.set(here, date);
          at = this.dated(date, at);
        } else {
          const groupable = mention.meanings.filter(
            (meaning) => meaning.kind === 'dimension' || meaning.kind === 'entity',
          );
          if (groupable.length === 0 || this.isAdjectiveAt(at - 1)) break;
          this.placed.set(here, mention);
          const per = item.tokens[0]!.word === 'per';
          this.groups.push({ mention: { ...mention, meanings: groupable }, ...(per && { per }) });
        }
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

  /** "per active member": a condition on what is grouped. */
  protected isAdjectiveAt(at: number): boolean {
    const item = this.items[at]!;
    const next = this.items[at + 1];
    const kinds = kindsOf(mentionOf(item), this.roleOf);
    return (
      kinds.has('condition') &&
      !kinds.has('entity') &&
      next?.meanings.some((meaning) => meaning.kind === 'entity') === true
    );
  }

  /** A group by a named date, or the date that a group by month is about. Gives the index after it. */
  protected dated(date: Mention, at: number): number {
    const word = this.items[at]?.operator;
    const said = word?.op === 'grain' && word.grouping !== true ? this.items[at] : undefined;
    const open = this.groups.findIndex((group) => 'grain' in group && group.hint === undefined);
    const isWhole = said === undefined || said.tokens[0]!.word === 'date';
    if (open >= 0 && isWhole) this.groups[open] = { ...this.groups[open], hint: date } as Group;
    else this.groups.push({ grain: word?.op === 'grain' && said ? word.grain : 'day', hint: date });
    return said ? at + 1 : at;
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
    if (kinds.size === 1 && kinds.has('condition') && mention.plural && (fn === undefined || fn === 'count')) {
      // "the most no-shows": rows that are so.
      const condition = pick(mention, 'condition', this.roleOf);
      this.placed.set(item, mention);
      for (const other of [...conditions, { type: 'is' as const, mention: condition, negated: false }]) this.add(other);
      return { want: { fn: 'count', mention: condition }, next };
    }
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
      this.at = this.grain(grain.grain, at + 1);
      return;
    }
    if (of === 'time' && limit === undefined && this.firstDate(at, direction)) return;
    const top = item.tokens[0]!.word === 'top' || item.tokens[0]!.word === 'bottom' || limit !== undefined;
    const ranked = this.items[at];
    if (Array.isArray(of) && ranked?.operator?.op === 'aggregate') {
      // "the longest average wait": the figure named.
      const key = this.key(at);
      if (key) {
        this.rank = { direction, ...(limit !== undefined && { limit }), key: key.want };
        this.at = key.next;
        return;
      }
    }
    if (Array.isArray(of) && ranked && isNamed(ranked)) {
      // "the longest duration": the figure itself, not rows by it.
      const restore = this.at;
      this.at = at;
      const mention = this.qualified(ranked);
      this.at = restore;
      const kinds = kindsOf(mention, this.roleOf);
      const isFigure = (kinds.has('dimension') && isNumber(mention)) || kinds.has('measure');
      const key = isFigure && !kinds.has('entity') ? this.key(at) : undefined;
      if (key) {
        this.rank = { direction, ...(limit !== undefined && { limit }), key: key.want };
        this.at = key.next;
        return;
      }
    }
    if (of !== undefined || top || (!/^(most|fewest|least)$/.test(item.tokens[0]!.word) && this.isTargetAhead(at))) {
      this.rank = base;
      this.at = at;
      // What follows is ranked: it becomes the head.
      this.which = this.head === undefined && this.wants.length === 0;
      return;
    }
    const key = this.key(at);
    if (key) {
      this.rank = { ...base, key: this.superlative(item.tokens[0]!.word, key.want, item) };
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

  /** "the best rating" of many is their average; "the highest fines" may be how much or how many. */
  protected superlative(word: string, want: Want, item: Item): Want {
    if (want.fn !== undefined) return want;
    if (/^(best|worst)$/.test(word) && isNumber(want.mention)) {
      if (!isScore(want.mention)) this.unplaced.push(item);
      return { ...want, fn: 'avg' };
    }
    const isRows = kindsOf(want.mention, this.roleOf).has('entity');
    return isRows && !/^(most|least|fewest|top|bottom)$/.test(word) ? { ...want, fn: 'sum', orCount: true } : want;
  }

  /** "first pickup date", "latest delivery": the date itself. */
  protected firstDate(at: number, direction: 'asc' | 'desc'): boolean {
    const item = this.items[at];
    if (!item || !isNamed(item) || this.head || this.wants.length > 0) return false;
    const mention = mentionOf(item);
    const date = dates(mention);
    if (this.items[at + 1]?.tokens[0]?.word === 'date' && this.isDated(at + 1) && date.meanings.length === 0) {
      // "first admission date": the date that stands for admissions.
      const entity = only(mention, 'entity');
      if (entity.meanings.length === 0) return false;
      this.placed.set(item, entity);
      this.head = entity;
      this.rank = { direction, of: 'time' };
      this.when = true;
      this.at = at + 2;
      return true;
    }
    const next = this.peek(at + 1);
    const isNoun = this.isDated(at + 1) || this.when;
    if (mention.plural || date.meanings.length === 0 || !isNoun || (next && isNamed(next))) return false;
    this.placed.set(item, date);
    this.wants.push({ fn: direction === 'asc' ? 'min' : 'max', mention: date });
    this.when = false;
    this.at = at + (this.isDated(at + 1) ? 2 : 1);
    return true;
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
