/** Linked items to a draft, from left to right. What finds no place is returned, never dropped. */
import type { Draft, Mention, TimeMention } from './draft.ts';
import type { Meaning } from './lexicon.ts';
import type { Item } from './link.ts';
import {
  dates,
  isNamed,
  isNumber,
  isPlainCount,
  kindsOf,
  mentionOf,
  only,
  pick,
  type RoleOf,
  relativeUnit,
} from './mentions.ts';
import { type Parsed, Settling } from './parse-end.ts';

export type { Parsed } from './parse-end.ts';

export const parse = (items: readonly Item[], roleOf: RoleOf): Parsed => new Parser(items, roleOf).run();

const MARKERS = new Set(['are', 'were', 'is', 'was', 'be', 'been', 'get', 'got']);
const REFERENCES: Readonly<Record<string, Draft['followUp']>> = {
  only: 'refine',
  same: 'refine',
  instead: 'replace',
  also: 'add',
  about: 'refine',
};

class Parser extends Settling {
  run(): Parsed {
    while (this.at < this.items.length) {
      const before = this.at;
      this.step(this.items[this.at]!);
      if (this.at === before) this.at++;
    }
    return this.finish();
  }

  protected step(item: Item): void {
    switch (item.kind) {
      case 'filler':
        if (MARKERS.has(item.tokens[0]!.word) && (this.head || this.wants.length > 0)) this.mark();
        return;
      case 'time':
        this.time(item);
        return;
      case 'names':
        this.names(item);
        return;
      case 'operator':
        item.meanings.length > 0 && this.readsAsName(item) ? this.names(item) : this.operator(item);
        return;
      case 'number':
        this.number(item);
        return;
      default:
        this.literal(item);
    }
  }

  /** A word that is both a name and an operator ("total", "number") is a name where a condition or a group is read. */
  protected readsAsName(item: Item): boolean {
    const after = this.peek();
    if (item.operator!.op === 'which' || item.operator!.op === 'that') return false;
    const before = this.items[this.at - 1];
    if (this.op(after) === 'comparator' || this.op(after) === 'null') return true;
    if (this.with !== undefined && item.operator!.op !== 'rank') return true;
    if (item.operator!.op === 'grain' || item.operator!.op === 'rank') return false;
    return (
      before?.kind === 'operator' && ['by', 'group', 'each', 'rank'].includes(before.operator!.op) && !isNamed(after)
    );
  }

  protected names(item: Item): void {
    const mention = this.qualified(item);
    this.placed.set(item, mention);
    if (this.repeatsValue(mention)) return;
    const next = this.peek();
    if (
      dates(mention).meanings.length > 0 &&
      next?.kind === 'time' &&
      !this.not &&
      !this.adjective(kindsOf(mention, this.roleOf))
    ) {
      // "shipped in March": the date of it, not the state.
      this.date = dates(mention);
      return;
    }
    if (this.not || this.with === 'without') {
      this.negated(item, mention);
      return;
    }
    if (this.fn === undefined && this.condition(mention)) return;
    if (this.fn !== undefined && this.target(mention)) return;
    const kinds = kindsOf(mention, this.roleOf);
    if (this.with === 'with') {
      this.with = undefined;
      if (kinds.has('entity') && (this.head || this.wants.length > 0)) {
        this.relate(only(mention, 'entity'), 'greater_than', 0);
        return;
      }
      const dimension = only(mention, 'dimension');
      if (!kinds.has('condition') && dimension.meanings.length > 0 && !kinds.has('measure')) {
        this.add({ type: 'null', mention: dimension, negated: true });
        return;
      }
    }
    if (
      this.which &&
      !this.head &&
      this.wants.length === 0 &&
      (kinds.has('dimension') || kinds.has('entity')) &&
      !this.adjective(kinds)
    ) {
      this.which = false;
      this.head = mention;
      this.listing = true;
      return;
    }
    const counts = mention.meanings.every(
      (meaning) =>
        meaning.kind !== 'measure' || meaning.measure?.type === 'count' || meaning.measure?.type === 'count_distinct',
    );
    const isFigure =
      kinds.has('measure') && !(kinds.has('entity') && isPlainCount(mention)) && !(counts && kinds.has('dimension'));
    if (isFigure && this.wants.length > 0 && !this.joint) {
      // "the average price of our items": what the figure is of.
      const owners = mention.meanings.flatMap((meaning) =>
        meaning.kind === 'measure' ? [{ ...meaning, kind: 'entity' as const }] : [],
      );
      if (counts) this.qualifiers.push({ item, mention: { ...mention, meanings: owners } });
      else this.unplaced.push(item);
      return;
    }
    if (isFigure) {
      this.joint = false;
      this.wants.push({ mention: pick(mention, 'measure', this.roleOf) });
      return;
    }
    if (kinds.has('condition') && (!kinds.has('entity') || this.adjective(kinds))) {
      const condition = pick(mention, 'condition', this.roleOf);
      const isNoun =
        mention.plural &&
        !this.head &&
        this.wants.length === 0 &&
        condition.meanings.some((meaning) => meaning.kind !== 'value') &&
        !this.adjective(kinds);
      if (isNoun) this.noun ??= condition;
      if (isNoun && this.which) [this.which, this.listing] = [false, true];
      this.add({ type: 'is', mention: condition, negated: false });
      return;
    }
    if (kinds.has('entity')) {
      this.entity(item, only(mention, 'entity'));
      return;
    }
    const date = dates(mention);
    if (date.meanings.length > 0 && date.meanings.length === only(mention, 'dimension').meanings.length) {
      this.date = date;
      return;
    }
    this.columns.push(only(mention, 'dimension'));
  }

  protected entity(item: Item, mention: Mention): void {
    const next = this.peek();
    if (next?.kind === 'number' && !this.isAmountAhead(this.next(this.at + 1)) && !mention.plural) {
      this.at = this.next(this.at + 1) + 1;
      this.head ??= mention;
      this.add({ type: 'equals', mention, value: next.number!, negated: false });
      return;
    }
    if (
      next &&
      !mention.plural &&
      (next.kind === 'quoted' || (next.kind === 'unknown' && next.tokens[0]!.capitalised))
    ) {
      this.head ??= mention;
      this.at = this.next(this.at + 1);
      this.add({ type: 'equals', mention, value: this.literalText(), negated: false });
      return;
    }
    const owners =
      this.date?.meanings.map((meaning) => (meaning.kind === 'dimension' ? meaning.entity : undefined)) ?? [];
    if (this.related && !item.rooted && !this.joint) {
      // "who never borrowed a book": what it was done to.
      this.relative = false;
      this.qualifiers.push({ item, mention });
      return;
    }
    if (this.joint && this.wants.length > 0 && !this.related) {
      // "visits and prescriptions": both are counted.
      this.joint = false;
      this.wants.push({ fn: 'count', mention });
      return;
    }
    const verb = mention.meanings.some((meaning) => meaning.kind === 'entity' && owners.includes(meaning.entity));
    const hasHead = this.head !== undefined || this.wants.length > 0;
    if (hasHead && (verb || item.rooted || this.relative)) {
      // "who placed an order", "who visited": there is such a row.
      if (verb) this.date = undefined;
      this.relative = false;
      this.relate(mention, 'greater_than', 0);
      return;
    }
    if (!hasHead) this.head = mention;
    else this.qualifiers.push({ item, mention });
  }

  protected target(mention: Mention): boolean {
    const fn = this.fn!;
    const kinds = kindsOf(mention, this.roleOf);
    const date = dates(mention);
    if (fn === 'count' && date.meanings.length > 0 && date.meanings.length === mention.meanings.length) {
      this.date = date;
      return true;
    }
    if (
      kinds.has('condition') &&
      !kinds.has('entity') &&
      !kinds.has('measure') &&
      !(kinds.has('dimension') && fn !== 'count')
    ) {
      // "how many cancelled orders" counts orders; "how many cancellations" counts what the condition is of.
      const condition = pick(mention, 'condition', this.roleOf);
      this.add({ type: 'is', mention: condition, negated: false });
      if (
        mention.plural &&
        fn === 'count' &&
        !this.adjective(kinds) &&
        condition.meanings.some((meaning) => meaning.kind !== 'value')
      ) {
        this.fn = undefined;
        this.wants.push({ fn, mention: condition });
      }
      return true;
    }
    this.fn = undefined;
    if (fn === 'sum' && !kinds.has('measure') && !kinds.has('dimension') && kinds.has('entity'))
      this.wants.push({ fn: 'count', mention: only(mention, 'entity') });
    else this.wants.push({ fn, mention });
    if (kinds.has('entity')) this.head ??= only(mention, 'entity');
    return true;
  }

  protected operator(item: Item): void {
    const operator = item.operator!;
    switch (operator.op) {
      case 'aggregate':
        if (this.fn === 'sum' || (this.fn === 'count' && operator.fn === 'sum') || this.fn === undefined) {
          if (this.fn !== 'count') this.fn = operator.fn;
          this.fnItem = item;
        } else if (operator.fn === 'count' && this.peek() && isNumber(mentionOf(this.peek()!))) return;
        else this.unplaced.push(item);
        return;
      case 'distinct':
        if (this.fn === 'count' || this.fn === undefined) {
          this.fn = this.fn === undefined && (this.listing || this.which) ? undefined : 'count_distinct';
          this.fnItem = item;
        } else this.unplaced.push(item);
        return;
      case 'by':
      case 'group':
      case 'each':
        this.group(item);
        return;
      case 'with':
        this.mark();
        if (!this.adjectiveNoun(false)) this.with = 'with';
        return;
      case 'without':
        this.mark();
        this.withItem = item;
        if (!this.adjectiveNoun(true)) this.with = 'without';
        return;
      case 'not':
        if (this.with === 'with') this.with = undefined;
        this.mark();
        if (['no', 'never'].includes(item.tokens[0]!.word) && this.adjectiveNoun(true)) return;
        this.not = item;
        return;
      case 'or':
        this.or = true;
        this.isJoined = true;
        this.orItem = item;
        return;
      case 'share':
        this.share = true;
        return;
      case 'rate':
        this.rate = item;
        return;
      case 'versus':
        this.versus = 'named';
        this.isJoined = true;
        this.awaitAgainst = true;
        return;
      case 'compare':
        this.versus = 'named';
        return;
      case 'change':
        this.versus ??= 'change';
        return;
      case 'change-by':
        this.versus = operator.grain;
        return;
      case 'list':
        this.listing = true;
        return;
      case 'which':
      case 'that':
        if (this.head || this.wants.length > 0) {
          this.mark();
          this.relative = true;
        } else this.which = true;
        return;
      case 'whose':
        this.mark();
        return;
      case 'when':
        this.when = true;
        return;
      case 'null':
        this.null(item);
        return;
      case 'over-time':
        this.grain('month');
        return;
      case 'comparator':
      case 'between': {
        const end = this.amount(this.at, undefined, this.not !== undefined);
        this.not = undefined;
        if (end !== undefined) this.at = end;
        else if (item.tokens[0]!.word !== 'from') this.unplaced.push(item);
        this.with = undefined;
        return;
      }
      case 'rank':
        this.ranking(item, operator);
        return;
      case 'direction':
        if (this.rank) this.rank = { ...this.rank, direction: operator.direction };
        else this.unplaced.push(item);
        return;
      case 'sort':
        this.sort(item);
        return;
      case 'grain':
        if (operator.grouping || this.which || this.rank) {
          this.grain(operator.grain);
          this.which = false;
        } else this.unplaced.push(item);
        return;
      case 'only':
      case 'same':
      case 'instead':
      case 'also':
      case 'about':
        this.followUp = REFERENCES[operator.op]!;
        return;
      case 'and':
        this.isJoined = true;
        if (this.at === 0) this.followUp = 'refine';
        else this.joint = this.joinsFigures();
        return;
      case 'amount':
        this.amountWord(item);
        return;
      case 'new':
        this.isNew = item;
        return;
      case 'breakdown': {
        const column = this.columns.pop();
        if (!column) return;
        this.groups.push({ mention: column });
        this.head ??= {
          ...column,
          plural: true,
          meanings: column.meanings.flatMap((meaning): Meaning[] =>
            meaning.kind === 'dimension' ? [{ kind: 'entity', entity: meaning.entity, rank: 3 }] : [],
          ),
        };
        return;
      }
      case 'all':
        return;
    }
  }

  /** Whether the figure was the last thing said: "visits and prescriptions", not "visits in Berlin and". */
  protected joinsFigures(): boolean {
    const before = this.items[this.at - 1];
    return (
      this.wants.length > 0 &&
      before !== undefined &&
      this.placed.has(before) &&
      this.wants.at(-1)!.mention.text.endsWith(before.text)
    );
  }

  /** "total value of lost orders": the amount that the rows have. */
  protected amountWord(item: Item): void {
    const fn = this.fn;
    if (fn !== undefined && fn !== 'count' && fn !== 'count_distinct') {
      this.fn = undefined;
      this.wants.push({ fn, mention: { text: item.text, meanings: [], plural: false } });
    } else this.amountItem = item;
  }

  protected time(item: Item): void {
    if (this.not) this.unplaced.push(this.not);
    this.not = undefined;
    const hint = this.date;
    this.date = undefined;
    const phrase = (this.awaitAgainst ? relativeUnit(item) : undefined) ?? item.time!;
    const joined = this.op(this.items[this.at - 1]) === 'and' && this.items[this.at - 2]?.kind === 'time';
    const time: TimeMention = { text: item.text, phrase, ...(joined && { joined }), ...(hint && { hint }) };
    this.with = undefined;
    if (this.awaitAgainst || (this.versus !== undefined && item.time!.kind === 'relative')) {
      this.awaitAgainst = false;
      if (this.against) this.unplaced.push(item);
      this.against = time;
    } else if (item.time!.kind === 'relative') this.unplaced.push(item);
    else if (this.related) this.related.conditions.push({ type: 'time', time });
    else this.times.push(time);
  }

  protected number(item: Item): void {
    const next = this.items[this.next(this.at + 1)];
    const after = next?.operator;
    if (after?.op === 'rank') {
      this.pendingNumber = item.number!;
      return;
    }
    const suffix = this.items[this.at + 1]?.operator;
    if (suffix?.op === 'comparator' && suffix.suffix) {
      const end = this.counted(suffix.comparator, item, this.at + 1, this.items[this.next(this.at + 2)]);
      this.at = Math.max(end, this.at + 2);
      return;
    }
    if (next && isNamed(next)) {
      if (this.with === 'with' && (this.head || this.wants.length > 0) && this.isNounAhead()) {
        this.at = this.counted('equals', item, this.at, next);
        return;
      }
      const isLimit = next.meanings.some((meaning) => meaning.kind === 'entity' || meaning.kind === 'dimension');
      if (
        isLimit &&
        this.fn === undefined &&
        !this.head &&
        this.wants.length === 0 &&
        Number.isInteger(item.number) &&
        item.number! > 0
      ) {
        // "show 10 orders", "which 10 products sold the most"
        this.limit = item.number!;
        this.listing = true;
        this.which = true;
        return;
      }
    }
    this.unplaced.push(item);
  }

  protected literal(item: Item): void {
    const values = item.meanings.filter((meaning) => meaning.kind === 'value');
    if (values.length > 0) {
      const mention = { ...mentionOf(item), meanings: values };
      this.placed.set(item, mention);
      const negated = this.not !== undefined;
      this.not = undefined;
      this.add({ type: 'is', mention, negated });
    } else this.unplaced.push(item);
  }
}
