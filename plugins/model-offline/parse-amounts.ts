/** Amounts and counts: "over 500", "between 10 and 20", "more than 5 orders". */
import type { Condition, Mention } from './draft.ts';
import type { Item } from './link.ts';
import { isNamed, kindsOf, mentionOf, only, pick } from './mentions.ts';
import { ParserState } from './parser-state.ts';
import { type Comparator, CURRENCY, OPPOSITE, UNITS } from './vocabulary.ts';
import { nameWords, stem } from './words.ts';

export class AmountParser extends ParserState {
  /** "over 500", "between 10 and 20", with the name before it or after it. Gives the index after it. */
  protected amount(at: number, subject: Mention | undefined, negated = false): number | undefined {
    const item = this.items[at]!;
    if (item.operator?.op === 'between') {
      const low = this.items[at + 1];
      const high = this.items[at + 3];
      const joint = this.items[at + 2];
      const joined = this.op(joint) === 'and' || joint?.text.toLowerCase() === 'to';
      if (low?.kind !== 'number' || high?.kind !== 'number' || !joined || negated) return undefined;
      const noun = this.items[this.next(at + 4)];
      if (!subject && noun && isNamed(noun) && mentionOf(noun).meanings.some((meaning) => meaning.kind === 'entity')) {
        this.placed.set(noun, mentionOf(noun));
        this.relate(only(mentionOf(noun), 'entity'), 'greater_or_equal', low.number!);
        this.upper = high.number!;
        return this.next(at + 4) + 1;
      }
      const counted =
        !subject && noun && isNamed(noun) && only(mentionOf(noun), 'dimension').meanings.length > 0
          ? only(mentionOf(noun), 'dimension')
          : undefined;
      const of = subject ?? counted;
      const mention = of ? { mention: of } : {};
      this.add({ type: 'compare', ...mention, comparator: 'greater_or_equal', value: low.number!, text: low.text });
      this.add({ type: 'compare', ...mention, comparator: 'less_or_equal', value: high.number!, text: high.text });
      if (counted) {
        this.placed.set(noun!, counted);
        return this.next(at + 4) + 1;
      }
      const unit = this.items[at + 4];
      return (
        at +
        (unit &&
        (CURRENCY.has(unit.tokens[0]!.word) || (subject && unit.tokens.length === 1 && this.isUnitOf(unit, subject)))
          ? 5
          : 4)
      );
    }
    if (item.operator?.op !== 'comparator') return undefined;
    const numberAt = this.next(at + 1);
    const number = this.items[numberAt];
    if (number?.kind !== 'number') return undefined;
    const comparator = negated ? OPPOSITE[item.operator.comparator] : item.operator.comparator;
    const after = this.items[this.next(numberAt + 1)];
    if (subject) {
      this.add({ type: 'compare', mention: subject, comparator, value: number.number!, text: number.text });
      const unit = this.items[numberAt + 1];
      return numberAt + (unit && unit.tokens.length === 1 && this.isUnitOf(unit, subject) ? 2 : 1);
    }
    return this.counted(comparator, number, numberAt, after, item.operator.of);
  }

  /** "duration over 30 minutes" where it is counted in minutes; money is money. */
  protected isUnitOf(item: Item, subject: Mention): boolean {
    const word = item.tokens[0]!;
    if (CURRENCY.has(word.word)) return true;
    const dimensions = subject.meanings.filter((meaning) => meaning.kind === 'dimension');
    return (
      dimensions.length > 0 &&
      dimensions.every((meaning) =>
        nameWords(`${meaning.dimension.name} ${meaning.dimension.description ?? ''}`)
          .map(stem)
          .includes(word.stem),
      )
    );
  }

  /** "more than 5 (cancelled) orders": the number counts what follows; or it is an amount of the head. */
  protected counted(
    comparator: Comparator,
    number: Item,
    numberAt: number,
    after: Item | undefined,
    of?: readonly string[],
  ): number {
    let at = this.next(numberAt + 1);
    const adjectives: Condition[] = [];
    let noun = after;
    while (
      noun &&
      isNamed(noun) &&
      kindsOf(mentionOf(noun), this.roleOf).has('condition') &&
      this.items[at + 1] &&
      isNamed(this.items[at + 1]!)
    ) {
      adjectives.push({ type: 'is', mention: pick(mentionOf(noun), 'condition', this.roleOf), negated: false });
      this.placed.set(noun, mentionOf(noun));
      noun = this.items[++at];
    }
    const span = this.openSpan(at);
    if (span) {
      // "more than 3 and fewer than 6 orders": both are about the noun at the end.
      const mention = mentionOf(span.noun);
      this.placed.set(span.noun, mention);
      this.relate(only(mention, 'entity'), comparator, number.number!);
      this.relate(only(mention, 'entity'), span.comparator, span.value);
      return span.next;
    }
    if (noun && isNamed(noun) && !of) {
      const mention = mentionOf(noun);
      const kinds = kindsOf(mention, this.roleOf);
      this.placed.set(noun, mention);
      if (kinds.has('entity')) {
        this.relate(only(mention, 'entity'), comparator, number.number!);
        this.related!.conditions.push(...adjectives);
        return at + 1;
      }
      if (kinds.has('condition') && mention.plural) {
        const named = pick(mention, 'condition', this.roleOf);
        const condition = {
          ...named,
          meanings: named.meanings.filter((meaning) => meaning.kind === 'term' || meaning.kind === 'segment'),
        };
        if (condition.meanings.length > 0) {
          this.relate(condition, comparator, number.number!);
          this.related!.conditions.push(...adjectives, { type: 'is', mention: condition, negated: false });
          return at + 1;
        }
      }
      if (adjectives.length === 0 && (kinds.has('measure') || kinds.has('dimension'))) {
        this.add({ type: 'compare', mention, comparator, value: number.number!, text: number.text });
        return at + 1;
      }
    }
    // "ratings below 3 and above 1", "over 500 or under 20": of the same figure.
    const scope = this.related?.conditions ?? this.conditions;
    const last = scope.at(-1);
    if (this.isJoined && last?.type === 'compare') {
      const { mention: same, fn } = last;
      this.add({
        type: 'compare',
        ...(same && { mention: same }),
        ...(fn && { fn }),
        comparator,
        value: number.number!,
        text: number.text,
      });
      const currency = this.items[numberAt + 1]?.tokens[0]?.word;
      return numberAt + (currency !== undefined && CURRENCY.has(currency) ? 2 : 1);
    }
    const word = this.items[numberAt + 1]?.tokens[0];
    const isUnit =
      word?.kind === 'word' &&
      (this.items[numberAt + 1]!.kind === 'unknown' ||
        this.op(this.items[numberAt + 1]) === 'grain' ||
        (of !== undefined && UNITS.some((names) => names.includes(word.stem))));
    const unit = isUnit && !CURRENCY.has(word.word) ? { unit: word.stem } : {};
    this.add({ type: 'compare', comparator, value: number.number!, text: number.text, ...unit, ...(of && { of }) });
    return numberAt + (isUnit ? 2 : 1);
  }

  /** "… and fewer than 6 orders", right after a number. */
  protected openSpan(at: number): { comparator: Comparator; value: number; noun: Item; next: number } | undefined {
    if (this.op(this.items[at]) !== 'and') return undefined;
    const other = this.items[at + 1]?.operator;
    const number = this.items[at + 2];
    const nounAt = this.next(at + 3);
    const noun = this.items[nounAt];
    if (other?.op !== 'comparator' || number?.kind !== 'number' || !noun || !isNamed(noun)) return undefined;
    if (!noun.meanings.some((meaning) => meaning.kind === 'entity')) return undefined;
    return { comparator: other.comparator, value: number.number!, noun, next: nounAt + 1 };
  }
}
