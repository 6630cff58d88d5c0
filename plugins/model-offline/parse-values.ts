/** Times, numbers, texts, and words that nobody named. */
import type { Mention, TimeMention } from './draft.ts';
import type { Item } from './link.ts';
import { dates, isNamed, mentionOf, only, relativeUnit } from './mentions.ts';
import { NameParser } from './parse-names.ts';
import { isEverydayVerb } from './vocabulary.ts';

export class ValueParser extends NameParser {
  protected time(item: Item): void {
    if (this.not) this.unplaced.push(this.not);
    this.not = undefined;
    const hint = this.date;
    // "claims between 2000 and 2010" may be about an amount.
    const years = item.tokens.filter((token) => token.kind === 'number');
    if (!hint && item.tokens[0]!.word === 'between' && years.length === 2 && years[0]!.value! % 100 === 0)
      this.unplaced.push(item);
    if (this.dates.length > 0) {
      // "filed and paid in 2026": both in that time.
      for (const other of this.dates) this.times.push({ text: item.text, phrase: item.time!, hint: other });
      this.dates = [];
    }
    this.date = undefined;
    const phrase = (this.awaitAgainst ? relativeUnit(item) : undefined) ?? item.time!;
    const joined = this.items[this.at - 1]?.tokens[0]?.word === 'and' && this.items[this.at - 2]?.kind === 'time';
    const of = hint ? undefined : (this.nounBefore() ?? this.nounAfter(item));
    const time: TimeMention = {
      text: item.text,
      phrase,
      ...(joined && { joined }),
      ...(hint && { hint }),
      ...(of && { of }),
    };
    this.with = undefined;
    if (this.awaitAgainst || (this.versus !== undefined && item.time!.kind === 'relative')) {
      this.awaitAgainst = false;
      if (this.against) this.unplaced.push(item);
      this.against = time;
    } else if (item.time!.kind === 'relative') this.unplaced.push(item);
    else if (this.related && joined) this.relatedTimes(time);
    else if (this.related) this.related.conditions.push({ type: 'time', time });
    else this.times.push(time);
  }

  /** "invoices of admissions in 2024": the noun whose time it may be as well. */
  protected nounBefore(): Mention | undefined {
    let at = this.at - 1;
    while (this.items[at]?.kind === 'filler') at--;
    const last = this.qualifiers.at(-1);
    if (last === undefined || this.items[at] !== last.item) return undefined;
    do at--;
    while (isNamed(this.items[at]) || /^(the|an?|all|our)$/.test(this.items[at]?.tokens[0]?.word ?? ''));
    return /^(of|for|from)$/.test(this.items[at]?.tokens[0]?.word ?? '') ? last.mention : undefined;
  }

  /** "invoices of 2024 admissions". */
  protected nounAfter(time: Item): Mention | undefined {
    const before = this.items[this.at - 1];
    const next = this.items[this.at + 1];
    const isOf = [before, time].some((item) => /^(of|for|from)$/.test(item?.tokens[0]?.word ?? ''));
    if (!isOf || !next || (this.head === undefined && this.wants.length === 0)) return undefined;
    const noun = only(mentionOf(next), 'entity');
    return noun.meanings.length > 0 ? noun : undefined;
  }

  /** "with orders in 2025 and 2026": some in each; "without orders in 2025 and 2026": none in either. */
  protected relatedTimes(time: TimeMention): void {
    const { related } = this;
    if (!related) return;
    const others = related.conditions.filter((condition) => condition.type !== 'time');
    this.conditions.push({ type: 'related', ...related, apart: true });
    this.related = { ...related, apart: true, conditions: [...others, { type: 'time', time }] };
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

  /**
   * "customers who bought toys", "patients live in Leeds": between two names such a verb says no more than that they go
   * together. "both" says so of what "and" joins.
   */
  protected isEveryday(item: Item): boolean {
    const word = item.tokens[0]!.word;
    const rest = this.items.slice(item.index + 1);
    if (word === 'both')
      return rest.some((other) => this.op(other) === 'and') && !rest.some((other) => other.kind === 'time');
    if (!isEverydayVerb(word) || rest[0]?.tokens[0]?.word === 'together') return false;
    const isName = (other: Item): boolean =>
      isNamed(other) &&
      other.meanings.some((meaning) => meaning.kind !== 'measure') &&
      dates(mentionOf(other)).meanings.length === 0;
    const before = this.items.slice(0, item.index).filter(isName);
    const after = rest.filter(isName);
    return before.length > 0 && after.length > 0;
  }

  protected literal(item: Item): void {
    const values = item.meanings.filter((meaning) => meaning.kind === 'value');
    if (item.kind === 'unknown' && this.isEveryday(item)) return;
    if (values.length > 0) {
      const mention = { ...mentionOf(item), meanings: values };
      this.placed.set(item, mention);
      const negated = this.not !== undefined;
      this.not = undefined;
      this.add({ type: 'is', mention, negated });
    } else this.unplaced.push(item);
  }
}
