/** The end of a question: what is still open gets its place, or is handed back. */
import type { Condition, Draft, Mention } from './draft.ts';
import type { Item } from './link.ts';
import { isNamed } from './mentions.ts';
import { GroupParser } from './parse-groups.ts';

export interface Parsed {
  readonly draft: Draft;
  /** Items without a place. */
  readonly unplaced: readonly Item[];
  /** Names that got a place, by item: what may absorb a neighbour. */
  readonly placed: ReadonlyMap<Item, Mention>;
}

export class Settling extends GroupParser {
  private portionUnclear = false;

  protected finish(): Parsed {
    this.closeRelated();
    for (const waiting of [
      this.not,
      this.with === 'without' ? this.withItem : undefined,
      this.or ? this.orItem : undefined,
    ])
      if (waiting) this.unplaced.push(waiting);
    if (
      this.awaitAgainst &&
      this.versus === 'named' &&
      this.times.length < 2 &&
      !this.against &&
      this.conditions.length === 0
    )
      this.versus = 'change';
    this.settleTarget();
    this.settleHead();
    this.settleReference();
    if (this.date) this.lonelyDate();
    for (const { item, mention } of this.qualifiers) if (isNamed(item)) this.placed.set(item, mention);
    const portion = this.portion();
    const rank =
      this.limit === undefined
        ? this.rank
        : { direction: 'desc' as const, ...(this.rank ?? { isLimit: true }), limit: this.limit };
    const draft: Draft = {
      wants: this.wants,
      ...(this.head && { head: this.head }),
      listing:
        this.listing ||
        this.sorted ||
        (this.all && this.head !== undefined && this.wants.length === 0 && this.groups.length === 0),
      ...(this.who && { who: true }),
      ...(this.which && { which: true }),
      ...(this.named && { named: true }),
      columns: this.columns,
      groups: this.groups,
      conditions: this.conditions,
      times: this.times,
      ...(this.versus && { versus: this.versus }),
      ...(this.against && { against: this.against }),
      ...(rank && { rank }),
      share: this.share && portion === undefined,
      ...(portion && { portion }),
      ...(this.countsApart() && { countsApart: true }),
      ...(this.portionUnclear && { portionUnclear: true }),
      followUp: this.followUp,
      qualifiers: this.qualifiers.map((item) => item.mention),
      when: this.when,
      isNew: this.isNew !== undefined,
      ...(this.noun && { noun: this.noun }),
      counting: this.counting,
    };
    return { draft, unplaced: this.unplaced, placed: this.placed };
  }

  /** "how many cancelled orders and how many customers": what was said before the second count is not of it. */
  protected countsApart(): boolean {
    return this.wants.some((want, i) => {
      const first = this.wants[0]!;
      const isOther = !want.mention.meanings.some((meaning) => first.mention.meanings.includes(meaning));
      return i > 0 && want.fn === 'count' && isOther && (this.conditionsBefore[i] ?? 0) > 0;
    });
  }

  /** An aggregate that met no noun: "total" after a figure is said for emphasis; a count counts what the condition is of. */
  protected settleTarget(): void {
    const fn = this.fn;
    if (fn === undefined) return;
    const condition = this.conditions.find((item) => item.type === 'is');
    if (this.wants.length > 0 && (fn === 'sum' || fn === 'count')) return;
    if (fn === 'count' || fn === 'sum') {
      if (this.head) this.wants.push({ fn: 'count', mention: this.head });
      else if (fn === 'count' && this.conditions.length === 0 && this.columns.length === 0 && this.groups.length === 0)
        this.counting = true;
      else if (condition?.type === 'is') this.wants.push({ fn: 'count', mention: condition.mention });
      else this.unplaced.push(this.fnItem!);
    } else if (this.columns.length > 0 && fn !== 'count_distinct')
      this.wants.push({ fn, mention: this.columns.shift()! });
    else this.unplaced.push(this.fnItem!);
  }

  /** "countries with more than 20 customers": the dimension is what is listed. "The date of the last order" is when it was. */
  protected settleHead(): void {
    const [column, ...more] = this.columns;
    const over = this.conditions.some(
      (condition) =>
        condition.type === 'related' ||
        (condition.type === 'compare' && condition.mention?.meanings.some((meaning) => meaning.kind === 'measure')),
    );
    if (column && more.length === 0 && !this.head && this.wants.length === 0 && over) {
      this.head = column;
      this.columns = [];
      this.listing = true;
    }
    const day = this.unplaced.findIndex((item) => item.text.toLowerCase() === 'date');
    if (day >= 0 && this.rank?.of === 'time' && this.head && this.wants.length === 0) {
      this.unplaced.splice(day, 1);
      this.when = true;
    }
    if (this.amountItem && this.rank && !this.rank.key && this.head)
      this.columns.push({ text: this.amountItem.text, meanings: [], plural: false });
    else if (this.amountItem) this.unplaced.push(this.amountItem);
  }

  /** "exclude cancelled orders" says something about the question before; what it names is that question's subject. */
  protected settleReference(): void {
    const first = this.op(this.items[this.next(0)]);
    if (this.wants.length > 0 || !(first === 'not' || first === 'with' || first === 'without')) return;
    if (this.followUp === 'none') this.followUp = 'refine';
    if (this.head) this.qualifiers.push({ item: this.items[0]!, mention: this.head });
    this.head = undefined;
  }

  /** A date word without a time: "orders placed in Berlin", "customers who ordered", "tickets closed". */
  protected lonelyDate(): void {
    this.conditions.push({ type: 'null', mention: this.date!, negated: true });
  }

  protected portion(): Condition[] | undefined {
    if (!this.share && !this.rate) return undefined;
    if (this.conditions.length === 0) {
      if (this.rate) this.unplaced.push(this.rate);
      return undefined;
    }
    const from = this.marker !== undefined && this.marker < this.conditions.length ? this.marker : 0;
    if (this.wants.length === 0 && this.head === undefined) {
      const condition = this.conditions.find((item) => item.type === 'is');
      if (condition?.type === 'is' && (this.rate || condition.mention.plural))
        this.wants.push({ fn: 'count', mention: condition.mention });
    }
    return this.split(this.conditions.splice(from), from > 0 || this.marker !== undefined);
  }

  /**
   * "smokers in Leeds": smokers are the portion, of all in Leeds. Several adjectives, or two prepositions, do not say
   * which of them is the portion; they are handed back.
   */
  protected split(conditions: Condition[], isMarked: boolean): Condition[] {
    const said = (condition: Condition): string | undefined => this.prepositions.get(condition);
    const part = conditions.filter((condition) => said(condition) === undefined);
    const of = conditions.filter((condition) => said(condition) !== undefined);
    const kinds = (list: readonly Condition[]): number => list.filter((condition) => !condition.or).length;
    const isUnclear =
      part.length === 0
        ? kinds(of) > 1
        : (kinds(part) > 1 && !isMarked) || (!this.rate && of.some((condition) => said(condition) === 'of'));
    if (isUnclear) {
      this.portionUnclear = true;
      return conditions;
    }
    if (part.length === 0) return of;
    this.conditions.push(...of);
    return part;
  }
}
