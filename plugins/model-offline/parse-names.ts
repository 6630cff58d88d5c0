/** Names: what a name in the question is used as, where it stands. */
import type { Mention } from './draft.ts';
import type { Item } from './link.ts';
import { dates, isNamed, isNumber, isPlainCount, kindsOf, mentionOf, only, pick } from './mentions.ts';
import { Settling } from './parse-end.ts';
import { nameWords } from './words.ts';

const isPlainNoun = (mention: Mention): boolean => mention.meanings.some((meaning) => meaning.kind === 'entity');

export class NameParser extends Settling {
  protected names(item: Item): void {
    const mention = this.qualified(item);
    this.placed.set(item, mention);
    if (this.repeatsValue(mention)) return;
    if (this.figureCondition(mention)) return;
    if (this.shownBeside(item, mention)) return;
    const next = this.peek();
    if (
      dates(mention).meanings.length > 0 &&
      next?.kind === 'time' &&
      !this.not &&
      !this.adjective(kindsOf(mention, this.roleOf))
    ) {
      // "shipped in March": the date of it, not the state.
      if (this.date && this.op(this.items[this.at - 1]) === 'and') this.dates.push(this.date);
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
      if (kinds.has('measure') && !kinds.has('entity') && this.head) {
        // "clinics with beds": more than none, or the figure beside each.
        this.unplaced.push(item);
        return;
      }
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
      !(this.who && dates(mention).meanings.length > 0) &&
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
      this.ownsFigure();
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

  /** "customers with their country", "orders with customer names": to be shown beside each row. */
  protected shownBeside(item: Item, mention: Mention): boolean {
    if (!this.head || this.wants.length > 0 || this.groups.length > 0) return false;
    const before = this.items[item.index - 1];
    const isTheirs = ['their', 'its', 'his', 'her'].includes(before?.tokens[0]?.word ?? '');
    const dimension = only(mention, 'dimension');
    const follows =
      this.with === 'with' ? isTheirs || mention.plural : isTheirs || (this.named && this.op(before) === 'and');
    if (!follows || dimension.meanings.length === 0 || this.not) return false;
    if (this.op(this.peek()) === 'comparator' || this.op(this.peek()) === 'null') return false;
    if (kindsOf(mention, this.roleOf).has('entity')) return false;
    // "clinics with beds" may mean more than none.
    if (!isTheirs && isNumber(dimension) && this.with === 'with') return false;
    this.with = undefined;
    this.named = true;
    this.columns.push(dimension);
    return true;
  }

  /** "customers and their revenue", "a doctor's average fee": the figure of each. */
  protected ownsFigure(): void {
    const { head } = this;
    const at = this.headAt;
    if (!head || at === undefined || this.wants.length > 0 || this.groups.length > 0 || this.listing || this.rank)
      return;
    if (this.conditions.length > 0 || this.related || this.times.length > 0) return;
    const owner = this.items[at]!;
    const isPossessive = /['’]s?$/.test(owner.text);
    if (!isPossessive && this.op(this.items[at + 1]) !== 'and') return;
    this.groups.push({ mention: head });
    this.head = undefined;
  }

  /** "doctors with an average fee over 100": the figure of each is compared. */
  protected figureCondition(mention: Mention): boolean {
    const { fn } = this;
    if (fn === undefined || fn === 'count' || fn === 'count_distinct' || !this.head || this.wants.length > 0)
      return false;
    const at = this.next(this.at + 1);
    if (this.op(this.items[at]) !== 'comparator' || this.items[this.next(at + 1)]?.kind !== 'number') return false;
    const ofRow = mention.meanings.filter(
      (meaning) =>
        meaning.kind === 'dimension' &&
        this.head!.meanings.some((own) => own.kind === 'entity' && own.entity === meaning.entity),
    );
    this.fn = undefined;
    const spoken = `${this.fnItem?.text ?? ''} ${mention.text}`.toLowerCase();
    const isColumn = ofRow.filter(
      (meaning) => meaning.kind === 'dimension' && nameWords(meaning.dimension.name).join(' ') === spoken,
    );
    const end = this.amount(at, isColumn.length > 0 ? { ...mention, meanings: isColumn } : mention);
    if (end === undefined) return false;
    const last = this.conditions.at(-1);
    if (isColumn.length === 0 && last?.type === 'compare')
      this.conditions[this.conditions.length - 1] = { ...last, fn };
    return this.to(end);
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
    // "no-shows at clinics in Hull": what was named first is asked for.
    if (!hasHead && !this.noun) {
      this.head = mention;
      this.headAt = item.index;
    } else this.qualifiers.push({ item, mention });
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
    const noun = this.items[this.at + 1];
    if (
      fn === 'count' &&
      !mention.plural &&
      isPlainNoun(mention) &&
      noun &&
      isNamed(noun) &&
      isPlainNoun(mentionOf(noun))
    ) {
      // "how many patient visits": visits.
      this.qualifiers.push({ item: this.items[this.at]!, mention: only(mention, 'entity') });
      return true;
    }
    this.ownsFigure();
    this.fn = undefined;
    // "total" may only say "altogether"; a sum never does.
    const orCount = fn === 'sum' && /^(total|overall|altogether|combined)$/.test(this.fnItem?.text.toLowerCase() ?? '');
    this.wants.push({ fn, mention, ...(orCount && { orCount }) });
    if (kinds.has('entity')) this.head ??= only(mention, 'entity');
    return true;
  }
}
