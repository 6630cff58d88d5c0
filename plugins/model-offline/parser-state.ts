/** What the parser has found so far, and how it looks around. */
import type { Grain } from '../semantic-query/index.ts';
import type { Condition, Draft, Group, Mention, Rank, TimeMention, Want } from './draft.ts';
import type { Item } from './link.ts';
import { dates, isNamed, kindsOf, mentionOf, only, type RoleOf, sameDimension } from './mentions.ts';
import type { Aggregate, Comparator } from './vocabulary.ts';

const PREPOSITIONS = new Set(['in', 'at', 'from', 'among', 'within', 'of', 'for']);

export class ParserState {
  protected readonly items: readonly Item[];
  protected readonly roleOf: RoleOf;
  protected readonly unplaced: Item[] = [];
  protected readonly placed = new Map<Item, Mention>();
  protected at = 0;
  protected wants: Want[] = [];
  protected head: Mention | undefined;
  protected listing = false;
  protected which = false;
  protected columns: Mention[] = [];
  protected groups: Group[] = [];
  protected conditions: Condition[] = [];
  protected related:
    | {
        mention: Mention;
        of?: Mention;
        comparator: Comparator;
        value: number;
        or?: boolean;
        apart?: true;
        conditions: Condition[];
      }
    | undefined;
  /** What conditions were said with: "smokers in Leeds". */
  protected readonly prepositions = new Map<Condition, string>();
  /** How many conditions had been said before each figure. */
  protected readonly conditionsBefore: number[] = [];
  /** Upper end of "between 3 and 5 orders". */
  protected upper: number | undefined;
  protected times: TimeMention[] = [];
  protected versus: Draft['versus'];
  protected against: TimeMention | undefined;
  protected awaitAgainst = false;
  protected rank: Rank | undefined;
  protected share = false;
  protected marker: number | undefined;
  protected rate: Item | undefined;
  protected fn: Aggregate | undefined;
  protected fnItem: Item | undefined;
  protected not: Item | undefined;
  protected with: 'with' | 'without' | undefined;
  protected or = false;
  /** "and", "or" or a comma has been said since the last condition. */
  protected isJoined = false;
  protected withItem: Item | undefined;
  protected orItem: Item | undefined;
  protected when = false;
  protected isNew: Item | undefined;
  /** A relative clause has begun: "customers who …". */
  protected relative = false;
  protected noun: Mention | undefined;
  protected counting = false;
  protected followUp: Draft['followUp'] = 'none';
  /** "and" has joined a figure to what comes next. */
  protected joint = false;
  protected amountItem: Item | undefined;
  /** The last date said without a time, waiting for one or for a negation. */
  protected date: Mention | undefined;
  /** Entities named beside the head: they must be reachable, and change nothing. */
  protected readonly qualifiers: { item: Item; mention: Mention }[] = [];
  protected pendingNumber: number | undefined;
  protected sorted = false;
  protected limit: number | undefined;
  protected all = false;
  protected who = false;
  /** Columns are shown beside the name of each row. */
  protected named = false;
  /** Index of the item that became the head. */
  protected headAt: number | undefined;
  /** Dates joined to the one before a time: "filed and paid in 2026". */
  protected dates: Mention[] = [];

  constructor(items: readonly Item[], roleOf: RoleOf) {
    this.items = items;
    this.roleOf = roleOf;
  }

  /** Index of the next item that is not filler. */
  protected next(from: number): number {
    let at = from;
    while (this.items[at]?.kind === 'filler') at++;
    return at;
  }

  protected peek(from = this.at + 1): Item | undefined {
    return this.items[this.next(from)];
  }

  protected op(item: Item | undefined): string | undefined {
    return item?.operator?.op;
  }

  protected mark(): void {
    if (this.share) this.marker = this.conditions.length;
  }

  protected add(condition: Condition): void {
    const column = this.columns.at(-1);
    if (
      column &&
      condition.type === 'is' &&
      condition.mention.meanings.some((value) => column.meanings.some((owner) => sameDimension(owner, value)))
    )
      this.columns.pop();
    const apart = condition.type === 'is' && !this.isJoined;
    const preposition = this.prepositionOf(this.isJoined);
    const and = condition.type === 'is' && !this.or ? this.enumerated() : undefined;
    const withOr = { ...condition, ...(this.or && { or: true }), ...(apart && { apart }), ...(and && { and }) };
    this.or = false;
    this.isJoined = false;
    this.with = undefined;
    (this.related?.conditions ?? this.conditions).push(withOr as Condition);
    if (preposition) this.prepositions.set(withOr as Condition, preposition);
  }

  /** The preposition that the condition at the cursor follows; one joined by "and" shares that of the one before. */
  protected prepositionOf(isJoined: boolean): string | undefined {
    const last = this.conditions.at(-1);
    if (isJoined && last) return this.prepositions.get(last);
    let at = this.at - 1;
    while (/^(the|a|an|our|all|any)$/.test(this.items[at]?.tokens[0]?.word ?? '')) at--;
    const word = this.items[at]?.tokens.length === 1 ? this.items[at]!.tokens[0]!.word : '';
    return PREPOSITIONS.has(word) ? word : undefined;
  }

  /** Whether the name here follows another condition with nothing but "and" in between. */
  protected enumerated(): 'phrase' | 'plain' | undefined {
    const isSmall = (item: Item | undefined): boolean =>
      item?.kind === 'filler' || this.op(item) === 'between' || this.op(item) === 'list';
    let at = this.at - 1;
    while (isSmall(this.items[at])) at--;
    if (this.op(this.items[at]) !== 'and') return undefined;
    while (this.op(this.items[at]) === 'and') at--;
    const before = this.items[at];
    if (before === undefined || !isNamed(before) || !this.placed.has(before)) return undefined;
    if (!kindsOf(mentionOf(before), this.roleOf).has('condition')) return undefined;
    let start = at - 1;
    while (this.items[start]?.tokens[0]?.word === 'the') start--;
    for (; this.op(this.items[start]) === 'and' || isNamed(this.items[start]); start--)
      if (isNamed(this.items[start]) && this.op(this.items[start + 1]) !== 'and') break;
    while (this.items[start]?.tokens[0]?.word === 'the') start--;
    return ['in', 'from', 'at', 'of', 'for', 'to'].includes(this.items[start]?.tokens[0]?.word ?? '')
      ? 'phrase'
      : 'plain';
  }

  protected relate(mention: Mention, comparator: Comparator, value: number): void {
    this.closeRelated();
    this.mark();
    const of = this.qualifiers.at(-1)?.mention;
    this.related = { mention, ...(of && { of }), comparator, value, conditions: [], ...(this.or && { or: true }) };
    this.or = false;
    this.with = undefined;
  }

  protected closeRelated(): void {
    if (this.related) this.conditions.push({ type: 'related', ...this.related });
    if (this.related && this.upper !== undefined)
      this.conditions.push({ type: 'related', ...this.related, comparator: 'less_or_equal', value: this.upper });
    this.upper = undefined;
    this.related = undefined;
  }

  protected to(at: number): true {
    this.at = at;
    return true;
  }

  /** A number that belongs to something else: the count of a following entity, or a limit. */
  protected isAmountAhead(at: number): boolean {
    const after = this.items[at + 1];
    return (
      after !== undefined &&
      isNamed(after) &&
      after.meanings.some((meaning) => meaning.kind === 'entity' || meaning.kind === 'measure')
    );
  }

  /** The item with its neighbours' help: "customer city", "city of the customer". */
  protected qualified(item: Item): Mention {
    const mention = mentionOf(item);
    const next = this.items[this.at + 1];
    if (next && isNamed(next) && !mention.plural) {
      const owners = item.meanings.filter((meaning) => meaning.kind === 'entity').map((meaning) => meaning.entity.name);
      const owned = next.meanings.filter(
        (meaning) =>
          (meaning.kind === 'dimension' || meaning.kind === 'measure') && owners.includes(meaning.entity.name),
      );
      if (owned.length > 0) {
        this.at++;
        this.placed.set(next, mention);
        return { ...mentionOf(next), text: `${mention.text} ${next.text}`, meanings: owned };
      }
    }
    if (next?.text.toLowerCase() === 'of' && item.meanings.some((meaning) => meaning.kind === 'dimension')) {
      const owner = this.peek(this.at + 2);
      const owners =
        owner?.meanings.filter((meaning) => meaning.kind === 'entity').map((meaning) => meaning.entity.name) ?? [];
      const owned = item.meanings.filter(
        (meaning) => meaning.kind === 'dimension' && owners.includes(meaning.entity.name),
      );
      if (owned.length > 0) return { ...mention, meanings: owned };
    }
    return mention;
  }

  /** Whether a condition word stands before a noun: "cancelled orders". */
  protected adjective(kinds: ReadonlySet<string>): boolean {
    if (!kinds.has('condition')) return false;
    const next = this.items[this.at + 1];
    return next !== undefined && isNamed(next) && next.meanings.some((meaning) => meaning.kind !== 'value');
  }

  protected isLiteral(item: Item): boolean {
    const token = item.tokens[0]!;
    return token.capitalised === true || /[_\d]/.test(token.text);
  }

  /** The quoted text at the cursor, or the run of unknown words there as one text. Moves past it. */
  protected literalText(): string {
    const first = this.items[this.at]!;
    this.at++;
    if (first.kind === 'quoted') return first.text;
    const words = [first.text];
    while (this.items[this.at]?.kind === 'unknown' && this.isLiteral(this.items[this.at]!))
      words.push(this.items[this.at++]!.text);
    return words.join(' ');
  }

  /** An entity comes next, after nothing but adjectives. */
  protected isNounAhead(): boolean {
    for (let at = this.next(this.at + 1); isNamed(this.items[at]); at++) {
      const kinds = kindsOf(mentionOf(this.items[at]!), this.roleOf);
      if (kinds.has('entity')) return true;
      if (!kinds.has('condition')) return false;
    }
    return false;
  }

  /** "tickets closed per month": the date that was just named; or the one named after it. Gives the index after both. */
  protected grain(grain: Grain, next: number): number {
    const of = this.date ? undefined : this.dateAfter(next);
    const hint = this.date ?? of?.hint;
    this.groups.push({ grain, ...(hint && { hint }) });
    this.date = undefined;
    return of?.next ?? next;
  }

  /** "month of admission", "year of the discharge", "month admitted": whose date the part of the calendar is of. */
  protected dateAfter(from: number): { readonly hint: Mention; readonly next: number } | undefined {
    let at = from;
    while (/^(of|the|their|its|our|an?)$/.test(this.items[at]?.tokens[0]?.word ?? '')) at++;
    const item = this.items[at];
    const isOf = this.items.slice(from, at).some((other) => other.tokens[0]!.word === 'of');
    // "month of return": elsewhere no more than a word of politeness, here it says which date.
    if (isOf && item?.kind === 'filler') this.unplaced.push(item);
    if (!item || !isNamed(item)) return undefined;
    const mention = mentionOf(item);
    const named = [...dates(mention).meanings, ...only(mention, 'entity').meanings];
    const isDate = dates(mention).meanings.length === mention.meanings.length;
    const isAdjective = isNamed(this.items[at + 1]) && !isDate;
    if (named.length === 0 || isAdjective || !(isOf || (isDate && at === from))) return undefined;
    const hint = { ...mention, meanings: named };
    this.placed.set(item, hint);
    return { hint, next: this.isDated(at + 1) ? at + 2 : at + 1 };
  }

  /** "by birth year", "per due date": the word after a date says which part of it. */
  protected isDated(at: number): boolean {
    const word = this.items[at]?.operator;
    return word?.op === 'grain' && word.grouping !== true;
  }
}
