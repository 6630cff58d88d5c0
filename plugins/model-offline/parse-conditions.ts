/** Conditions: values, amounts, absence, negation, related rows. */
import type { Condition, Mention } from './draft.ts';
import { isTime, type MeaningOf } from './lexicon.ts';
import type { Item } from './link.ts';
import {
  dates,
  isNamed,
  isNumber,
  isPlainCount,
  kindsOf,
  mentionOf,
  only,
  opposite,
  pick,
  sameDimension,
} from './mentions.ts';
import { AmountParser } from './parse-amounts.ts';

export class ConditionParser extends AmountParser {
  /** "Electronics category", "private insurance": the name of what the value before it is of. */
  protected repeatsValue(mention: Mention): boolean {
    const scope = this.related?.conditions ?? this.conditions;
    const last = scope.at(-1);
    const before = this.items[this.at - 1];
    if (last?.type !== 'is' || before === undefined || !isNamed(before) || last.mention.text !== before.text)
      return false;
    const values = last.mention.meanings.filter((value) =>
      mention.meanings.some((owner) => sameDimension(owner, value)),
    );
    if (values.length === 0) return false;
    const narrowed = { ...last, mention: { ...last.mention, meanings: values } };
    const preposition = this.prepositions.get(last);
    if (preposition) this.prepositions.set(narrowed, preposition);
    scope[scope.length - 1] = narrowed;
    return true;
  }

  /** A condition that begins with the name of a dimension or measure: "status cancelled", "total over 500", "phone is missing". */
  protected condition(mention: Mention): boolean {
    const dimension = only(mention, 'dimension');
    let at = this.next(this.at + 1);
    let next = this.items[at];
    if (dimension.meanings.length === 0 && !mention.meanings.some((meaning) => meaning.kind === 'measure'))
      return false;
    if (
      mention.meanings.some((meaning) => meaning.kind === 'entity') ||
      (dimension.meanings.length === 0 && isPlainCount(mention))
    )
      return false;
    let negated = false;
    if (this.op(next) === 'by' && this.with === undefined && this.isValueAhead(dimension)) {
      at = this.next(at + 1);
      next = this.items[at];
    }
    if (this.op(next) === 'not') {
      negated = true;
      at = this.next(at + 1);
      next = this.items[at];
    }
    if (next === undefined) return false;
    if (this.op(next) === 'comparator' || this.op(next) === 'between') {
      const end = this.amount(at, mention, negated);
      if (end !== undefined) return this.to(end);
    }
    if (dimension.meanings.length === 0) return false;
    if (this.op(next) === 'null') {
      this.add({ type: 'null', mention: dimension, negated });
      return this.to(at + 1);
    }
    if (
      next.kind === 'number' &&
      !this.isAmountAhead(at) &&
      (dimension.meanings as MeaningOf<'dimension'>[]).some((m) => !isTime(m.dimension))
    ) {
      return this.numberValue(dimension, next, at, negated);
    }
    const values = next.meanings.filter(
      (value) => value.kind === 'value' && dimension.meanings.some((owner) => sameDimension(owner, value)),
    );
    if (values.length > 0) {
      this.placed.set(next, mention);
      this.add({ type: 'is', mention: { ...mentionOf(next), meanings: values }, negated });
      return this.to(at + 1) && this.moreValues(dimension, negated);
    }
    const literal = next.kind === 'quoted' || (next.kind === 'unknown' && this.isLiteral(next));
    if (literal && !mention.plural) {
      this.at = at;
      this.add({ type: 'equals', mention: dimension, value: this.literalText(), negated });
      return true;
    }
    return false;
  }

  /** "status is pending, shipped or completed", "rating is 1 or 2": the values after the first. */
  protected moreValues(dimension: Mention, negated: boolean): boolean {
    for (;;) {
      let at = this.at;
      while (['and', 'or'].includes(this.op(this.items[at]) ?? '') || this.items[at]?.kind === 'filler') at++;
      const item = this.items[at];
      if (at === this.at || item === undefined) return true;
      const values = item.meanings.filter(
        (value) => value.kind === 'value' && dimension.meanings.some((owner) => sameDimension(owner, value)),
      );
      this.isJoined = values.length > 0 || item.kind === 'number';
      if (values.length > 0) this.add({ type: 'is', mention: { ...mentionOf(item), meanings: values }, negated });
      else if (item.kind === 'number' && !this.isAmountAhead(at))
        this.add({ type: 'equals', mention: dimension, value: item.number!, negated });
      else return true;
      this.placed.set(item, dimension);
      this.at = at + 1;
    }
  }

  protected numberValue(dimension: Mention, item: Item, at: number, negated: boolean): boolean {
    const suffix = this.items[at + 1]?.operator;
    const value = item.number!;
    if (suffix?.op === 'comparator' && suffix.suffix) {
      this.add({ type: 'compare', mention: dimension, comparator: suffix.comparator, value, text: item.text });
      return this.to(at + 2);
    }
    this.add({ type: 'equals', mention: dimension, value, negated });
    return this.to(at + 1) && this.moreValues(dimension, negated);
  }

  /** "with an active subscription", "without cancelled orders": a noun with adjectives, said of related rows. */
  protected adjectiveNoun(absent: boolean): boolean {
    if (this.head === undefined && this.wants.length === 0) return false;
    let at = this.next(this.at + 1);
    const adjectives: Condition[] = [];
    for (let item = this.items[at]; item && isNamed(item); item = this.items[++at]) {
      const mention = mentionOf(item);
      const kinds = kindsOf(mention, this.roleOf);
      if (kinds.has('entity') && !kinds.has('condition')) {
        if (adjectives.length === 0) return false;
        this.placed.set(item, mention);
        this.relate(only(mention, 'entity'), absent ? 'equals' : 'greater_than', 0);
        this.related!.conditions.push(...adjectives);
        return this.to(at + 1);
      }
      if (!kinds.has('condition')) return false;
      this.placed.set(item, mention);
      adjectives.push({ type: 'is', mention: pick(mention, 'condition', this.roleOf), negated: false });
    }
    return false;
  }

  protected negated(item: Item, mention: Mention): void {
    const kinds = kindsOf(mention, this.roleOf);
    const word = this.not;
    const absent = this.with === 'without' || word?.tokens[0]?.word === 'never' || word?.tokens[0]?.word === 'no';
    this.not = undefined;
    this.with = undefined;
    const dimension = only(mention, 'dimension');
    // "without country Germany": another one, or none.
    if (absent && dimension.meanings.length > 0 && this.isValueAhead(dimension)) {
      const before = this.conditions.length + (this.related?.conditions.length ?? 0);
      const added = this.condition(mention);
      const scope = this.related?.conditions ?? this.conditions;
      const from = before - (this.related ? this.conditions.length : 0);
      if (added) for (let k = from; k < scope.length; k++) scope[k] = opposite(scope[k]!);
      if (added) return;
    }
    const hasHead = this.head !== undefined || this.wants.length > 0;
    const date = dates(mention);
    const isOwn = date.meanings.some(
      (meaning) =>
        meaning.kind === 'dimension' &&
        this.head?.meanings.some((own) => own.kind === 'entity' && own.entity === meaning.entity),
    );
    if (word && date.meanings.length > 0) {
      const next = this.peek();
      const owners = date.meanings.map((meaning) => (meaning.kind === 'dimension' ? meaning.entity : undefined));
      if (next?.meanings.some((meaning) => meaning.kind === 'entity' && owners.includes(meaning.entity))) {
        // "never placed an order": the verb of the noun that follows.
        this.not = word;
        return;
      }
      if (next?.kind === 'time' && isOwn) {
        this.unplaced.push(word);
        return;
      }
      if (next?.kind === 'time' && hasHead) {
        // "have not ordered in 2025": no such row in that time.
        this.relate(date, 'equals', 0);
        this.date = date;
        return;
      }
    }
    const owners = mention.meanings.flatMap((meaning) => (meaning.kind === 'value' ? [meaning.entity] : []));
    const happened = date.meanings.filter((meaning) => meaning.kind === 'dimension' && owners.includes(meaning.entity));
    if ((word || absent) && happened.length > 0) {
      // "have not been shipped": it has no such date. "is not shipped" may also be about the state.
      const perfect =
        absent ||
        this.items.some((other) => other.tokens[0]!.word === 'yet') ||
        ['have', 'has', 'had', 'been'].includes(this.items[(word?.index ?? 0) - 1]?.tokens[0]?.word ?? '');
      if (perfect) this.add({ type: 'null', mention: { ...mention, meanings: happened }, negated: false });
      else
        this.add({
          type: 'is',
          mention: { ...mention, meanings: [...happened, ...pick(mention, 'condition', this.roleOf).meanings] },
          negated: true,
        });
      return;
    }
    if (
      absent &&
      this.with === undefined &&
      word === undefined &&
      dimension.meanings.some((meaning) => meaning.kind === 'dimension' && meaning.dimension.type !== 'boolean') &&
      kinds.has('condition')
    ) {
      // "without a manager": nothing is there, whatever value goes by that name.
      this.add({ type: 'null', mention: dimension, negated: false });
      return;
    }
    if (kinds.has('condition') && !(absent && kinds.has('entity') && hasHead)) {
      const condition = pick(mention, 'condition', this.roleOf);
      this.add({ type: 'is', mention: condition, negated: true });
      this.at++;
      this.negatedList();
      return;
    }
    const auxiliary =
      word && ['do', 'does', 'did', 'have', 'has', 'had'].includes(this.items[word.index - 1]?.tokens[0]?.word ?? '');
    if (kinds.has('entity') && hasHead && (absent || auxiliary)) {
      this.relate(only(mention, 'entity'), 'equals', 0);
      return;
    }
    if (date.meanings.length > 0) {
      if (hasHead && !isOwn) this.relate(date, 'equals', 0);
      else this.add({ type: 'null', mention: date, negated: false });
      return;
    }
    const isFigure = this.wants.some(
      (want) =>
        want.mention.meanings.some((meaning) => meaning.kind === 'measure') &&
        !want.mention.meanings.some((meaning) => meaning.kind === 'entity'),
    );
    // "revenue without shipping" takes something off a figure; it is not about rows.
    if (dimension.meanings.length > 0 && absent && !(isFigure && isNumber(dimension))) {
      this.add({ type: 'null', mention: dimension, negated: false, orZero: true });
      return;
    }
    if (dimension.meanings.length > 0 && word) {
      const before = this.conditions.length + (this.related?.conditions.length ?? 0);
      if (this.condition(mention)) {
        const scope = this.related?.conditions ?? this.conditions;
        const from = before - (this.related ? this.conditions.length : 0);
        for (let k = from; k < scope.length; k++) scope[k] = opposite(scope[k]!);
        return;
      }
    }
    if (kinds.has('entity') && !hasHead && word) {
      // "not orders from Berlin": what is excluded is not of one word.
      this.unplaced.push(word);
    }
    this.unplaced.push(item);
  }

  /** The name of a dimension is followed by one of its values. */
  protected isValueAhead(dimension: Mention): boolean {
    const at = this.next(this.at + 1);
    const item = this.items[this.op(this.items[at]) === 'by' ? this.next(at + 1) : at];
    if (item?.kind === 'number')
      return dimension.meanings.some((meaning) => meaning.kind === 'dimension' && meaning.dimension.type === 'number');
    return item?.meanings.some((value) => dimension.meanings.some((owner) => sameDimension(owner, value))) ?? false;
  }

  /** The rest of a negated list: "excluding cancelled, pending and refunded". */
  protected negatedList(): void {
    for (;;) {
      let at = this.at;
      while (
        ['and', 'or', 'not'].includes(this.op(this.items[at]) ?? '') ||
        (at > this.at && this.items[at]?.kind === 'filler')
      )
        at++;
      const item = this.items[at];
      if (at === this.at || item === undefined || !isNamed(item)) return;
      const mention = mentionOf(item);
      const kinds = kindsOf(mention, this.roleOf);
      if (!kinds.has('condition') || kinds.has('entity') || kinds.has('measure')) return;
      this.placed.set(item, mention);
      this.add({ type: 'is', mention: pick(mention, 'condition', this.roleOf), negated: true });
      this.at = at + 1;
    }
  }

  protected null(item: Item): void {
    const next = this.items[this.next(this.at + 1)];
    const last = this.columns.at(-1);
    if (next && isNamed(next) && only(mentionOf(next), 'dimension').meanings.length > 0) {
      this.placed.set(next, mentionOf(next));
      this.add({ type: 'null', mention: only(mentionOf(next), 'dimension'), negated: this.not !== undefined });
      this.not = undefined;
      this.at = this.next(this.at + 1) + 1;
    } else if (last) {
      this.columns.pop();
      this.add({ type: 'null', mention: last, negated: this.not !== undefined });
      this.not = undefined;
    } else this.unplaced.push(item);
  }
}
